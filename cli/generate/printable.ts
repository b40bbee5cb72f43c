/** Characters that YAML and TOML can show as they are, and those that both have to escape. */

/** Signs and letters of any script are printable; what a reader refuses or an editor would act on is not. */
export const unprintable = /[^ \p{L}\p{M}\p{N}\p{P}\p{S}]/u;
/** The same, where text may have lines. */
export const unprintableLines = /[^ \n\p{L}\p{M}\p{N}\p{P}\p{S}]/u;

/** What JSON leaves as it is, and some readers refuse or take for a line break. */
const unreadable = /[\u007f-\u00a0\u2028\u2029\ufeff]/g;

/** What begins a template of Go, which Traefik runs over its files. */
export const template = '{{';

const code = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Text between double quotes, as JSON escapes it, for readers that refuse more, and free of templates. */
export function escaped(quoted: string): string {
  return quoted.replace(unreadable, code).replaceAll(template, `{${code('{')}`);
}
