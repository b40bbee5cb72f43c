/** Parts of IMAP lines (RFC 9051 9). */

export interface Literal {
  readonly bytes: number;
  /** The client does not wait for the server (RFC 7888). */
  readonly isUnasked: boolean;
}

const literalForm = /\{(\d+)(\+?)\}$/;
const mostDigits = 15; // what a number holds exactly

/** The literal that a line announces at its end; `bad`: its length cannot be. */
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
