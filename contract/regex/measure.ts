/** Computes the size of a pattern after an engine has expanded its counts. */
import type { RegexNode, Repeat } from './syntax.ts';

/** Returns the number of copies into which RE2 expands a repeat: five for `x{2,5}`, three for `x{3,}`, one for `x*`. */
function copyCount(repeat: Repeat): number {
  return Math.max(1, repeat.max === Infinity ? repeat.min : repeat.max);
}

/** Returns the bytes that expanding a repeat adds to its body of `bytes`: `x{2,5}` becomes `xxx?x?x?`. */
export function addedBytes(repeat: Repeat, bytes: number): number {
  const more = copyCount(repeat) - 1;
  const optional = repeat.max === Infinity ? 0 : Math.min(more, repeat.max - repeat.min);
  return more * bytes + optional;
}

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

/** Returns the largest product of counts from `node` down to a leaf. */
export function largestProduct(node: RegexNode): number {
  const own = node.kind === 'repeat' ? copyCount(node) : 1;
  return children(node).reduce((largest, child) => Math.max(largest, own * largestProduct(child)), own);
}

/** Returns the number of characters, assertions and branches of `node` after its counts are expanded. */
export function expandedSize(node: RegexNode): number {
  const own = node.kind === 'repeat' ? copyCount(node) : 1;
  const inner = children(node).reduce((sum, child) => sum + expandedSize(child), 0);
  return own * Math.max(1, inner);
}
