/** Patterns written as a shell matches file names. */
import type { Policy } from '../../policy/schema.ts';
import { patternsOf } from './own-rules.ts';
import type { Warning } from './warning.ts';

/** A path with `*` for any text, and nothing that only a regular expression has. */
const glob = /^[^*^$()[\]{}|+\\]*\/[^^$()[\]{}|+\\]*$/;
/** What `*` repeats in a glob is a letter or a slash; `.*` is written by people who mean a regular expression. */
const repeated = /[^.]\*/;

/** The regular expression that the glob stands for. */
function regexOf(text: string): string {
  const body = text.replace(/\*\*|[*?.]/g, (sign) => ({ '**': '.*', '*': '[^/]*', '?': '[^/]' })[sign] ?? '\\.');
  return `^${body}$`;
}

export function* globs(policy: Policy): Iterable<Warning> {
  for (const { pattern, path } of patternsOf(policy)) {
    if (!glob.test(pattern) || !repeated.test(pattern)) continue;
    const message = 'it looks like a glob, but it is a regular expression: * repeats the character before it';
    yield { kind: 'glob', path, message, hint: `if any file name is meant, write ${regexOf(pattern)}` };
  }
}
