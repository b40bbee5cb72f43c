/** Quotes parts of a file in messages: escapes control characters and cuts long texts. */

const longestQuote = 60;
/** Control, invisible, direction-changing and unassigned characters, separators, lone surrogates. */
const unsafeCharacters = /[\p{C}\p{Zl}\p{Zp}]/gu;

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`;

export function safe(text: string): string {
  return text.replace(unsafeCharacters, escaped);
}

function cutText(text: string): string {
  const characters = [...text.slice(0, 2 * longestQuote)];
  return characters.length > longestQuote || text.length > 2 * longestQuote
    ? `${characters.slice(0, longestQuote).join('')}...`
    : text;
}

/** Quotes text of the file. Quotation marks inside stay unchanged, so that a reader finds the text in the file. */
export function quoted(text: string): string {
  return `"${safe(cutText(text))}"`;
}

/** Returns a quoted value, or the kind of a list or mapping. */
export function described(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return safe(String(value));
}
