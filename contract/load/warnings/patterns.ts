import type { Policy } from '../../policy/schema.ts';
import { ambiguousRepetition } from '../../regex/ambiguity.ts';
import { parseRegex } from '../../regex/grammar.ts';
import { ambiguityReason } from '../../regex/refusals.ts';
import { patternsOf } from './custom-rules.ts';
import type { Warning } from './warning.ts';

const hint = 'begin each repetition with a character that nothing else in the group matches, as in (?:/[^/]+)*';

/** Warns of patterns that could take exponential time. With such a pattern the guard does not start in nginx. */
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

/** Matches a path with `*` as wildcard and no syntax of regular expressions. */
const glob = /^[^*^$()[\]{}|+\\]*\/[^^$()[\]{}|+\\]*$/;
/** Matches the `*` of a glob, which follows a letter or a slash. `.*` is a regular expression. */
const repeatedStar = /[^.]\*/;

function regexOf(text: string): string {
  const body = text.replace(/\*\*|[*?.]/g, (sign) => ({ '**': '.*', '*': '[^/]*', '?': '[^/]' })[sign] ?? '\\.');
  return `^${body}$`;
}

export function* globs(policy: Policy): Iterable<Warning> {
  for (const { pattern, path } of patternsOf(policy)) {
    if (!glob.test(pattern) || !repeatedStar.test(pattern)) continue;
    const message = 'it looks like a glob, but it is a regular expression: * repeats the character before it';
    yield { kind: 'glob', path, message, hint: `to match any file name, write ${regexOf(pattern)}` };
  }
}
