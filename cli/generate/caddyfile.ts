/**
 * Text of a Caddyfile: lines, blocks, and words that mean exactly what they are given.
 *
 * Three things read a Caddyfile before our directive does, and each would change hostile text: `{$NAME}` is replaced by
 * an environment variable wherever it stands (quotes and comments included), the lexer splits and unquotes, and
 * shorthands such as `{host}` become longer placeholders. Nothing of Caddy's escapes the first and the last, so our
 * directive reads two placeholders of its own: `{guard.brace}` and `{guard.backquote}`.
 */

const brace = '{guard.brace}';
const backquote = '{guard.backquote}';

/** A brace that could open a placeholder, of this version of Caddy or of a later one. */
const openingBrace = /\{(?=\$|[%?]?[a-z][\w.?[\]-]*\})/g;

/** Words that need no quotes: nothing in them means anything to the lexer. */
const bareWord = /^[A-Za-z0-9_.:/*+,=@-]+$/;

/** Inside double quotes only `\"` is an escape, so a backslash before a quote or at the end cannot be written. */
const stuckBackslash = /\\(?:"|$)/;

/** What makes a text look like a pattern: by custom those stand in backquotes, and prose in double quotes. */
const patternLike = /["\\^$()[\]|]/;

/** `text` as one word. */
export function word(text: string): string {
  if (bareWord.test(text)) return text;
  const safe = text.replace(openingBrace, brace);
  if (!safe.includes('`') && !patternLike.test(safe)) return `"${safe}"`;
  if (!safe.includes('`')) return `\`${safe}\``;
  if (!stuckBackslash.test(safe)) return `"${safe.replaceAll('"', '\\"')}"`;
  return `\`${safe.replaceAll('`', backquote)}\``;
}

/** A line of words, or a block with a head of words. */
export type Item = string | Block;
export interface Block {
  readonly head: string;
  readonly items: readonly Item[];
}

/** `key value value ...` */
export function line(key: string, ...values: readonly (string | number | boolean)[]): string {
  return [key, ...values.map((value) => word(String(value)))].join(' ');
}

const longestLine = 100;

/** A list as lines of a readable length: a key that stands again goes on with its list. */
export function wrapped(key: string, values: readonly string[]): string[] {
  const lines: string[] = [];
  for (const value of values.map(word)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + value.length < longestLine) lines[lines.length - 1] = `${last} ${value}`;
    else lines.push(`${key} ${value}`);
  }
  return lines;
}

/** Items as `caddy fmt` would write them: a tab for each level. Only what we write is indented, not what we quote. */
export function render(items: readonly Item[], indent = ''): string {
  return items
    .map((item) => {
      if (typeof item === 'string') return `${indent}${item}\n`;
      return `${indent}${item.head} {\n${render(item.items, `${indent}\t`)}${indent}}\n`;
    })
    .join('');
}
