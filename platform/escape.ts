/**
 * What came from a request, a file or another program, made safe for a terminal: no control character, no escape
 * sequence, no invisible or direction-changing character survives.
 */

const plain = /^[\x20-\x7e]*$/;

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${hex(code, 2)}` : `\\u{${hex(code, 4)}}`;
}

/** Printable ASCII alone: for anything from a request, and the default where in doubt. Bytes are latin1 characters. */
export function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, escaped);
}

/** Letters, digits, punctuation and symbols of any script: for file names and words of the user's own. */
export function readable(text: string): string {
  if (plain.test(text)) return text; // the pattern below takes a millisecond to compile
  return text.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escaped);
}

const ascii = (json: string): string => json.replace(/[\x7f-\uffff]/g, (c) => `\\u${hex(c.charCodeAt(0), 4)}`);

/** JSON in ASCII: the same document, and safe to look at. */
export function jsonText(value: unknown): string {
  return ascii(JSON.stringify(value, undefined, 2));
}

/** One such document per value and line. */
export function jsonLines(values: readonly unknown[]): string {
  return ascii(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
}
