/** Characters that YAML and TOML both have to escape. */

/** What JSON leaves as it is, and some readers refuse or take for a line break. */
const unreadable = /[\u007f-\u00a0\u2028\u2029\ufeff]/g;

/** What begins a template of Go, which Traefik runs over its files. */
export const template = '{{';

const code = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Text between double quotes, as JSON escapes it, for readers that refuse more, and free of templates. */
export function escaped(quoted: string): string {
  return quoted.replace(unreadable, code).replaceAll(template, `{${code('{')}`);
}
