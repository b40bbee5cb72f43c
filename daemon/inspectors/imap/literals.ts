/** Literals and strings in IMAP lines (RFC 9051 9). */

export interface Literal {
  readonly bytes: number;
  /** Whether the client sends the literal without waiting for a continuation request (RFC 7888). */
  readonly isNonSynchronizing: boolean;
}

const literalForm = /\{(\d+)(\+?)\}$/;
const mostDigits = 15; // at most 15 digits, which a number represents exactly

/**
 * The text before a literal: complete quoted strings, and the start of an argument. In `a{5}` and `"a {5}`, some
 * servers find an error and execute the next bytes as commands. `~` is from RFC 3516.
 */
const endBeforeArgument = /^(?:[^"]|"(?:[^"\\]|\\.)*")*[ (]~?$/s;

/** Whether every server recognizes the literal at the end of the line. */
export const isArgument = (line: string): boolean => endBeforeArgument.test(line.replace(literalForm, ''));

/** The literal at the end of a line. `bad`: its length is too large. */
export function literalOf(line: string): Literal | 'bad' | undefined {
  const [, digits, plus] = literalForm.exec(line) ?? [];
  if (digits === undefined) return undefined;
  return digits.length > mostDigits ? 'bad' : { bytes: Number(digits), isNonSynchronizing: plus === '+' };
}

const stringForm = /^(?:"((?:[^"\\]|\\.)*)"|([^\s"{]+))/;

export function firstString(text: string): string | undefined {
  const [, quoted, atom] = stringForm.exec(text) ?? [];
  return quoted?.replace(/\\(.)/g, '$1') ?? atom;
}
