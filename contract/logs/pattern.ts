/**
 * Patterns of lines of a log: the syntax of the rules, the marks `<address>`, `<user>` and `<attempts>`, and an anchor at
 * both ends.
 */
import { parseRegex } from '../regex/grammar.ts';
import type { RegexNode } from '../regex/syntax.ts';
import { hasOnePlace } from './placement.ts';

/** Every text that can be an address. What it finds is parsed strictly afterwards. */
const addressForm = '[0-9A-Fa-f:.]{2,45}';
const attemptsForm = '\\d{1,2}'; // bounds what a line can count
const userForm = '.*';

/** The marks. `<user:[^"]*>` has the form of the user where a server escapes or limits names. */
const marks = /<(address|attempts|user(?::([^<>]+))?)>/g;
type Mark = 'address' | 'user' | 'attempts';

const markOf = (text: string): Mark => (text.startsWith('user') ? 'user' : (text as Mark));

export interface LogPattern {
  /** A pattern with a group for each mark, for `compileRegex`. */
  readonly source: string;
  /** The index of the group of each mark. A line that says no user has no group for it. */
  readonly groups: { readonly address: number; readonly user?: number; readonly attempts?: number };
}

export type LogPatternResult =
  | { readonly ok: true; readonly pattern: LogPattern }
  /** `reason` is a clause such as `expected ...`. */
  | { readonly ok: false; readonly reason: string };

const refused = (reason: string): LogPatternResult => ({ ok: false, reason });

const formOf = (name: Mark, form: string | undefined): string =>
  name === 'address' ? addressForm : name === 'attempts' ? attemptsForm : (form ?? userForm);

/** Replaces each mark by its form, in a group that begins with `open`. */
const expanded = (text: string, open: string): string =>
  text.replace(marks, (_, mark: string, form: string | undefined) => `${open}${formOf(markOf(mark), form)})`);

/**
 * Returns why a mark could be read in several places, or undefined. Each side of the mark must be a separate pattern, so a group
 * cannot contain the mark.
 */
function placeProblem(text: string, name: 'address' | 'attempts'): string | undefined {
  const [before, after] = text.split(`<${name}>`);
  if (before === undefined || after === undefined) return undefined;
  const trees: RegexNode[] = [];
  for (const part of [expanded(before, '(?:'), formOf(name, undefined), expanded(after, '(?:')]) {
    const parsed = parseRegex(part);
    if (!parsed.ok) return `expected a pattern on each side of <${name}>: ${parsed.reason}`;
    trees.push(parsed.tree);
  }
  const [left, address, right] = trees as [RegexNode, RegexNode, RegexNode];
  if (hasOnePlace({ before: left, address, after: right })) return undefined;
  return (
    `expected one place for <${name}>: a text that the client writes, such as a user, could contain another one with ` +
    'the texts around it; allow fewer characters before it or after it'
  );
}

export function parseLogPattern(text: string): LogPatternResult {
  if (!text.startsWith('^') || !text.endsWith('$') || text.endsWith('\\$'))
    return refused('expected a pattern from ^ to $: a client could write the remainder of the line');
  const names = [...text.matchAll(marks)].map(([, mark]) => markOf(mark as string));
  const countOf = (mark: Mark): number => names.filter((name) => name === mark).length;
  if (countOf('address') !== 1 || countOf('user') > 1 || countOf('attempts') > 1)
    return refused('expected <address> once, and <user> and <attempts> at most once');
  if (/(?<!\\)\((?!\?)/.test(text)) return refused('expected groups that begin with (?:, and \\( for a parenthesis');
  const inner = text.slice(1, -1);
  const problem = placeProblem(inner, 'address') ?? placeProblem(inner, 'attempts');
  if (problem !== undefined) return refused(problem);
  const groups = Object.fromEntries(names.map((name, index) => [name, index + 1])) as LogPattern['groups'];
  return { ok: true, pattern: { source: `^${expanded(inner, '(')}$`, groups } };
}
