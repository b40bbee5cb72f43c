import { parseRegex } from '../regex/grammar.ts';
import { byteLength } from '../schema/fields.ts';
import { type CrossCheck, entriesOf, type Fields, isFields, type Path } from '../schema/problem.ts';
import { limits } from './limits.ts';

const patternLists = ['blockPatterns', 'allowPatterns'];
const patternKeys = { rules: 'pattern', exceptions: 'path' };

function* patternsOf(policy: Fields): Iterable<readonly [path: Path, pattern: unknown]> {
  for (const list of patternLists)
    for (const [index, pattern] of entriesOf(policy[list]).entries()) yield [[list, index], pattern];
  for (const [list, key] of Object.entries(patternKeys))
    for (const [index, entry] of entriesOf(policy[list]).entries())
      if (isFields(entry)) yield [[list, index, key], entry[key]];
}

const mostBytes = limits.policyPatternBytes;
const hint =
  'lower counts or write + for them, join patterns with the same beginning, as in ^/(?:old|new)/, or drop some';

/**
 * Returns the bytes of a pattern after its counts are expanded. For a pattern that another check refuses, returns the
 * bytes of its source.
 */
function bytesOf(pattern: unknown): number {
  if (typeof pattern !== 'string') return 0;
  if (!pattern.includes('{')) return byteLength(pattern); // it has no counts
  const parsed = parseRegex(pattern);
  return parsed.ok ? parsed.bytes : byteLength(pattern);
}

/** Reports the longest pattern when all patterns together exceed the bound. */
export const checkPatternBytes: CrossCheck = function* (policy) {
  const sizes = Array.from(patternsOf(policy), ([path, pattern]) => ({ path, bytes: bytesOf(pattern) }));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= mostBytes) return;
  const longest = sizes.reduce((one, other) => (other.bytes > one.bytes ? other : one));
  const all = `expected at most ${mostBytes} bytes in all patterns of the policy, with counts written out, found ${total}`;
  yield {
    kind: 'out_of_range',
    message: `${all}: ${longest.bytes} in this one, the longest`,
    path: longest.path,
    hint,
  };
};
