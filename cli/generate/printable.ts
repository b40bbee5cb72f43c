/** Characters that both YAML and TOML must escape. */

/** Characters that JSON does not escape, but that some readers refuse or treat as a line break. */
const unreadable = /[\u007f-\u00a0\u2028\u2029\ufeff]/g;

/** The start of a Go template. Traefik runs templates over its files. */
export const template = '{{';

const code = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Text in double quotes with JSON escapes, for readers that refuse more characters than JSON does. Escapes template
 * starts.
 */
export function escaped(quoted: string): string {
  return quoted.replace(unreadable, code).replaceAll(template, `{${code('{')}`);
}
