/** Characters that both YAML and TOML must escape. */

/** Characters that JSON does not escape, but that some readers refuse or treat as a line break. */
const unreadableCharacters = /[\u007f-\u00a0\u2028\u2029\ufeff]/g;

/** The start of a Go template. Traefik runs templates over its files. */
export const templateStart = '{{';

const unicodeEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Text in double quotes with JSON escapes, for readers that refuse more characters than JSON does. Escapes template
 * starts.
 */
export function escapeQuoted(quoted: string): string {
  return quoted.replace(unreadableCharacters, unicodeEscape).replaceAll(templateStart, `{${unicodeEscape('{')}`);
}
