/** The bound on the patterns of a policy together. */
import { byteLength } from '../schema/fields.ts';
import { type CrossCheck, entriesOf, type Fields, isFields, type Path } from '../schema/problem.ts';
import { limits } from './limits.ts';

const patternLists = ['blockPatterns', 'allowPatterns'];
/** Lists of objects with a pattern, and its key. */
const patternKeys = { rules: 'pattern', exceptions: 'path' };

function* patternsOf(policy: Fields): Iterable<readonly [path: Path, pattern: unknown]> {
  for (const list of patternLists)
    for (const [index, pattern] of entriesOf(policy[list]).entries()) yield [[list, index], pattern];
  for (const [list, key] of Object.entries(patternKeys))
    for (const [index, entry] of entriesOf(policy[list]).entries())
      if (isFields(entry)) yield [[list, index, key], entry[key]];
}

const most = limits.policyPatternBytes;
const hint = 'join patterns with the same beginning, as in ^/(?:old|new)/, or drop some';

/** Reports the first pattern beyond the bound, with the size of all of them. */
export const checkPatternBytes: CrossCheck = function* (policy) {
  let bytes = 0;
  let beyond: Path | undefined;
  for (const [path, pattern] of patternsOf(policy)) {
    bytes += typeof pattern === 'string' ? byteLength(pattern) : 0;
    if (bytes > most) beyond ??= path;
  }
  const message = `expected at most ${most} bytes in all patterns of the policy, found ${bytes}`;
  if (beyond) yield { kind: 'out_of_range', message, path: beyond, hint };
};
