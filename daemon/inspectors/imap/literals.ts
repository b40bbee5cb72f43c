/** Literals and strings in IMAP lines (RFC 9051 9). */

export interface Literal {
  readonly bytes: number;
  /** The client does not wait for the server (RFC 7888). */
  readonly isUnasked: boolean;
}

const literalForm = /\{(\d+)(\+?)\}$/;
const mostDigits = 15; // integers that a number represents exactly

/**
 * What precedes a literal of a client: whole quoted strings, and the start of an argument. `~`: RFC 3516. In `a{5}` and `"a {5}` servers find
 * an error instead of a literal, and execute its content.
 */
const argumentStart = /^(?:[^"]|"(?:[^"\\]|\\.)*")*[ (]~?$/s;

/** Whether every server finds the literal that a line of a client announces. */
export const isArgument = (line: string): boolean => argumentStart.test(line.replace(literalForm, ''));

/** The literal that a line announces at its end. `bad`: its length is too large. */
export function literalOf(line: string): Literal | 'bad' | undefined {
  const [, digits, plus] = literalForm.exec(line) ?? [];
  if (digits === undefined) return undefined;
  return digits.length > mostDigits ? 'bad' : { bytes: Number(digits), isUnasked: plus === '+' };
}

const stringForm = /^(?:"((?:[^"\\]|\\.)*)"|([^\s"{]+))/;

/** The first argument, quoted or not. */
export function firstString(text: string): string | undefined {
  const [, quoted, atom] = stringForm.exec(text) ?? [];
  return quoted?.replace(/\\(.)/g, '$1') ?? atom;
}
