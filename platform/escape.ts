/** Escapes hostile text for a terminal, also invisible and direction-changing characters. */

const plainForm = /^[\x20-\x7e]*$/;

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${hex(code, 2)}` : `\\u{${hex(code, 4)}}`;
}

/** Keeps only printable ASCII: for requests, and when in doubt. Bytes are Latin-1 characters. */
export function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, escapeCharacter);
}

/** Keeps letters, digits, punctuation and symbols of any script. For file names and words that the user wrote. */
export function readable(text: string): string {
  if (plainForm.test(text)) return text; // fast path: the pattern below takes a millisecond to compile
  return text.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escapeCharacter);
}

const toAscii = (json: string): string => json.replace(/[\x7f-\uffff]/g, (c) => `\\u${hex(c.charCodeAt(0), 4)}`);

/** Returns JSON in ASCII. It is the same document, and safe to print. */
export function jsonText(value: unknown): string {
  return toAscii(JSON.stringify(value, undefined, 2));
}

/** Returns one JSON document in ASCII per line. */
export function jsonLines(values: readonly unknown[]): string {
  return toAscii(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
}
