/** Characters that JSON does not escape. Some readers of YAML or TOML refuse them or treat them as a line break. */
const unreadableCharacters = /[\u007f-\u00a0\u2028\u2029\ufeff]/g;

/**
 * Matches characters that parsers refuse or editors interpret: all except the space, and letters, marks, digits,
 * punctuation and symbols of any script.
 */
export const unprintable = /[^ \p{L}\p{M}\p{N}\p{P}\p{S}]/u;

/** Writes lines as comments, for any format in which `#` begins one. */
export const commentText = (lines: readonly string[]): string =>
  lines.map((line) => `# ${line}`.trimEnd().concat('\n')).join('');

/** Starts a Go template. Traefik runs templates over its files. */
export const templateStart = '{{';

const unicodeEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Adds JSON escapes for stricter readers, and escapes the starts of templates.
 * @param quoted a text in which only strings in double quotes contain something to escape
 */
export function escapeQuoted(quoted: string): string {
  return quoted.replace(unreadableCharacters, unicodeEscape).replaceAll(templateStart, `{${unicodeEscape('{')}`);
}
