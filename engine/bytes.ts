/** Byte strings: Latin-1 strings with one character for each byte, so that all languages treat bytes alike. */

const escapes = Array.from({ length: 0x100 }, (_, byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`);

/** Returns the escape of a byte: `%` and two upper-case hexadecimal digits. */
export const percentEscape = (byte: string): string => escapes[byte.charCodeAt(0)] as string;

/**
 * Replaces every byte that is not printable ASCII by `%` and two digits. All regex engines agree on printable ASCII.
 */
export function escapeBytes(bytes: string): string {
  return bytes.replace(/[^ -~]/g, percentEscape);
}

/** Returns the UTF-8 bytes of a code point (RFC 3629 3). */
export function utf8(codePoint: number): string {
  const tail = (shift: number) => 0x80 | ((codePoint >> shift) & 0x3f);
  if (codePoint < 0x80) return String.fromCharCode(codePoint);
  if (codePoint < 0x800) return String.fromCharCode(0xc0 | (codePoint >> 6), tail(0));
  if (codePoint < 0x10000) return String.fromCharCode(0xe0 | (codePoint >> 12), tail(6), tail(0));
  return String.fromCharCode(0xf0 | (codePoint >> 18), tail(12), tail(6), tail(0));
}

/** Removes the given characters at both ends. Takes linear time; a regular expression would take quadratic time. */
export function strip(bytes: string, characters: string): string {
  let start = 0;
  while (start < bytes.length && characters.includes(bytes.charAt(start))) start += 1;
  return stripEnd(bytes.slice(start), characters);
}

export function stripEnd(bytes: string, characters: string): string {
  let end = bytes.length;
  while (end > 0 && characters.includes(bytes.charAt(end - 1))) end -= 1;
  return bytes.slice(0, end);
}

/** Yields the non-empty parts between separators. Lazy, because a hostile text has millions of them. */
export function* nonEmptyParts(bytes: string, separator: string): Generator<string> {
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(separator, start);
    const end = found < 0 ? bytes.length : found;
    if (end > start) yield bytes.slice(start, end);
    start = end + 1;
  }
}
