/** Builds matches and near misses of a pattern from its syntax tree. */
import { parseRegex } from '../../contract/regex/grammar.ts';
import type { RegexNode } from '../../contract/regex/syntax.ts';

/** Maximum number of examples. They differ in branches of alternations and in optional parts. */
const mostVariants = 8;
const longestExample = 1000;

/** Chooses a member of a character class. Prefers a lowercase letter, because URL normalization does not change it. */
function characterOf(members: string): string {
  return /[a-z]/.exec(members)?.[0] ?? /[0-9A-Z]/.exec(members)?.[0] ?? members[0] ?? '';
}

function sampleText(node: RegexNode, variant: number): string {
  switch (node.kind) {
    case 'set':
      return characterOf(node.members);
    case 'assertion':
      return '';
    case 'sequence':
      return node.parts.map((part) => sampleText(part, variant)).join('');
    case 'alternation':
      return sampleText(node.branches[variant % node.branches.length] as RegexNode, variant);
    case 'group':
      return sampleText(node.body, variant);
    case 'repeat': {
      const count = Math.min(node.max, Math.max(node.min, variant % 2));
      return sampleText(node.body, variant).repeat(count).slice(0, longestExample);
    }
  }
}

/**
 * Returns texts for the pattern without its assertions. The caller must test whether each text matches the pattern.
 * Returns an empty list for an invalid pattern.
 */
export function examplesOf(pattern: string): readonly string[] {
  const parsed = parseRegex(pattern);
  if (!parsed.ok) return [];
  const all = Array.from({ length: mostVariants }, (_, variant) => sampleText(parsed.tree, variant));
  return [...new Set(all)].filter((text) => text.length <= longestExample);
}

/** Returns texts in which one character of `text` is replaced or removed, from the last character to the first. */
export function nearTextsOf(text: string): readonly string[] {
  const places = [...text.slice(0, longestExample)].map((_, index) => text.length - 1 - index);
  return places.flatMap((at) => {
    const before = text.slice(0, at);
    const after = text.slice(at + 1);
    return [`${before}-${after}`, `${before}${after}`, `${before}x${after}`];
  });
}

/** Matches bytes that would end the path, start an escape, or change in a request line. */
const unsafeInPath = /[^!$&'()*+,\-./0-9:;=@A-Z[\]^_`a-z{|}~]/g;

/** Returns a path that decodes to `text`. Adds a slash at the start when there is none. */
export function asPath(text: string): string {
  const escaped = text.replace(unsafeInPath, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return escaped.startsWith('/') ? escaped : `/${escaped}`;
}

const unsafeInValue = /[^\-./0-9:@A-Z_a-z~]/g;

/** Escapes `text` as one value of a query or form. */
export function asValue(text: string): string {
  return text.replace(unsafeInValue, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
