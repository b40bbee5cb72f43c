/** The size of a pattern after an engine compiles it. */
import type { RegexNode, Repeat } from './syntax.ts';

/** How often a repeat is written out: RE2 writes `x{2,5}` as five copies, `x{3,}` as three, `x*` as one. */
function copies(repeat: Repeat): number {
  return Math.max(1, repeat.max === Infinity ? repeat.min : repeat.max);
}

/**
 * Bytes that the counts of a repeat add when they are written out. `bytes`: of its body, written out. `x{2,5}` becomes `xxx?x?x?`:
 * optional copies cost an engine the most.
 */
export function addedBytes(repeat: Repeat, bytes: number): number {
  const more = copies(repeat) - 1;
  const optional = repeat.max === Infinity ? 0 : Math.min(more, repeat.max - repeat.min);
  return more * bytes + optional;
}

/** The children of a node. */
export function children(node: RegexNode): readonly RegexNode[] {
  switch (node.kind) {
    case 'sequence':
      return node.parts;
    case 'alternation':
      return node.branches;
    case 'group':
    case 'repeat':
      return [node.body];
    default:
      return [];
  }
}

/** The largest product of counts from `node` down to a leaf. */
export function largestProduct(node: RegexNode): number {
  const own = node.kind === 'repeat' ? copies(node) : 1;
  return children(node).reduce((largest, child) => Math.max(largest, own * largestProduct(child)), own);
}

/** Characters, assertions and branches of `node` with its counts written out. */
export function size(node: RegexNode): number {
  const own = node.kind === 'repeat' ? copies(node) : 1;
  return (
    own *
    Math.max(
      1,
      children(node).reduce((sum, child) => sum + size(child), 0),
    )
  );
}
