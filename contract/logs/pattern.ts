/**
 * Patterns of lines of a log: the syntax of the rules, the marks `<address>` and `<user>`, and an anchor at both ends.
 */
import { parseRegex } from '../regex/grammar.ts';
import type { RegexNode } from '../regex/syntax.ts';
import { hasOnePlace } from './placement.ts';

/** Every text that can be an address. What it finds is parsed strictly afterwards. */
const addressForm = '[0-9A-Fa-f:.]{2,45}';
const userForm = '.*';

const addressMark = '<address>';
/** The second part is the form of the user where a server escapes or limits names: `<user:[^"]*>`. */
const userMark = /<user(?::([^<>]+))?>/;

export interface LogPattern {
  /** A pattern with a group for each mark, for `compileRegex`. */
  readonly source: string;
  /** The index of the group of each mark. A line that says no user has no group for it. */
  readonly groups: { readonly address: number; readonly user?: number };
}

export type LogPatternResult =
  | { readonly ok: true; readonly pattern: LogPattern }
  /** `reason` is a clause such as `expected ...`. */
  | { readonly ok: false; readonly reason: string };

const refused = (reason: string): LogPatternResult => ({ ok: false, reason });

const countOf = (text: string, part: string): number => text.split(part).length - 1;

const countOfUsers = (text: string): number => text.split(new RegExp(userMark, 'g')).length >> 1;

const withUser = (text: string, open: string): string =>
  text.replace(userMark, (_, form: string = userForm) => `${open}${form})`);

/** Parses one side of the address. It must be a separate pattern, so a group cannot contain the address. */
function parseSide(text: string): RegexNode | string {
  const parsed = parseRegex(withUser(text, '(?:'));
  return parsed.ok ? parsed.tree : parsed.reason;
}

const addressTree = parseRegex(addressForm);

export function parseLogPattern(text: string): LogPatternResult {
  if (!text.startsWith('^') || !text.endsWith('$') || text.endsWith('\\$'))
    return refused('expected a pattern from ^ to $: a client could write the remainder of the line');
  if (countOf(text, addressMark) !== 1 || countOfUsers(text) > 1)
    return refused('expected <address> once and <user> at most once');
  if (/(?<!\\)\((?!\?)/.test(text)) return refused('expected groups that begin with (?:, and \\( for a parenthesis');
  const [left, right] = text.slice(1, -1).split(addressMark) as [string, string];
  const [before, after] = [parseSide(left), parseSide(right)];
  const reason = [before, after].find((side) => typeof side === 'string');
  if (typeof reason === 'string') return refused(`expected a pattern on each side of <address>: ${reason}`);
  if (!addressTree.ok) throw new Error(addressTree.reason);
  const placed = { before: before as RegexNode, address: addressTree.tree, after: after as RegexNode };
  if (!hasOnePlace(placed))
    return refused(
      'expected one place for <address>: a text that the client writes, such as a user, could contain another one with ' +
        'the texts around it; allow fewer characters before it or after it',
    );
  const isUserFirst = userMark.test(left);
  const source = `^${withUser(`${left}(${addressForm})${right}`, '(')}$`;
  const user = userMark.test(text) ? { user: isUserFirst ? 1 : 2 } : {};
  return { ok: true, pattern: { source, groups: { address: isUserFirst ? 2 : 1, ...user } } };
}
