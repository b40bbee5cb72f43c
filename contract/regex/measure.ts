/** The size of a pattern after an engine compiles it. */
import type { RegexNode, Repeat } from './syntax.ts';

/** How often a repeat is written out: RE2 writes `x{2,5}` as five copies, `x{3,}` as three, `x*` as one. */
function copies(repeat: Repeat): number {
  return Math.max(1, repeat.max === Infinity ? repeat.min : repeat.max);
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
