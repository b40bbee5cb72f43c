/** Parts of a file in a message: escaped, so that a terminal shows them and does not obey them, and cut. */

const longest = 60;
/** Controls, invisible and direction-changing characters, unassigned ones, line and paragraph separators, lone surrogates. */
const unsafe = /[\p{C}\p{Zl}\p{Zp}]/gu;

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`;

export function safe(text: string): string {
  return text.replace(unsafe, escaped);
}

function cut(text: string): string {
  const characters = [...text.slice(0, 2 * longest)];
  return characters.length > longest || text.length > 2 * longest
    ? `${characters.slice(0, longest).join('')}...`
    : text;
}

/** Text of the file, in quotes. Quotes inside stay unchanged: the reader compares it with the file. */
export function quoted(text: string): string {
  return `"${safe(cut(text))}"`;
}

/** A value of the file, or its kind when it is a list or a mapping. */
export function described(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return safe(String(value));
}
