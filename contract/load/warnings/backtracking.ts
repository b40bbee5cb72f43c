import type { Policy } from '../../policy/schema.ts';
import { ambiguousRepetition } from '../../regex/ambiguity.ts';
import { parseRegex } from '../../regex/grammar.ts';
import { ambiguityReason } from '../../regex/refusals.ts';
import { patternsOf } from './custom-rules.ts';
import type { Warning } from './warning.ts';

const hint = 'begin each repetition with a character that nothing else in the group matches, as in (?:/[^/]+)*';

/** The guard refuses to start in nginx with a pattern that could take exponential time. */
export function* backtracking(policy: Policy): Iterable<Warning> {
  for (const { pattern, path } of patternsOf(policy)) {
    const parsed = parseRegex(pattern);
    const found = parsed.ok ? ambiguousRepetition(parsed.tree) : undefined;
    if (found) {
      const message = `nginx refuses this pattern: ${ambiguityReason} (at offset ${found.at})`;
      yield { kind: 'backtracking', path, message, hint };
    }
  }
}
