/** Characters that JSON does not escape. Some readers of YAML or TOML refuse them or treat them as a line break. */
const unreadableCharacters = /[\u007f-\u00a0\u2028\u2029\ufeff]/g;

/** Characters that parsers refuse or editors interpret: all except letters, digits and symbols of any script. */
export const unprintable = /[^ \p{L}\p{M}\p{N}\p{P}\p{S}]/u;

/** Writes lines as comments, for any format in which `#` begins one. */
export const commentText = (lines: readonly string[]): string =>
  lines.map((line) => `# ${line}`.trimEnd().concat('\n')).join('');

/** Starts a Go template. Traefik runs templates over its files. */
export const templateStart = '{{';

const unicodeEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Escapes a text in double quotes with JSON escapes for stricter readers, and starts of templates in it. */
export function escapeQuoted(quoted: string): string {
  return quoted.replace(unreadableCharacters, unicodeEscape).replaceAll(templateStart, `{${unicodeEscape('{')}`);
}
