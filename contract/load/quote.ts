/**
 * Quotes parts of a file in messages. Escapes control characters, so that a terminal displays them and does not execute
 * them, and cuts long texts.
 */

const longest = 60;
/** Control, invisible, direction-changing and unassigned characters, line and paragraph separators, lone surrogates. */
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

/** Quotes text of the file. Quotes inside stay unchanged, so that a reader can find the text in the file. */
export function quoted(text: string): string {
  return `"${safe(cut(text))}"`;
}

/** Returns a quoted value, or the kind of a list or mapping. */
export function described(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return safe(String(value));
}
