/**
 * Writes Caddyfile text: lines, blocks, and words that survive Caddy's parsing unchanged.
 * Caddy changes text before the directive of the guard receives it:
 * - It replaces `{$NAME}` with an environment variable everywhere, even in quotes and comments.
 * - The lexer splits and unquotes.
 * - Shorthands such as `{host}` become longer placeholders.
 * - An import removes each backslash before a brace. It empties a word with many unclosed braces.
 * Caddy has no escapes for these, so the directive replaces `{guard.brace}`, `{guard.backquote}` and
 * `{guard.backslash}`.
 */

const bracePlaceholder = '{guard.brace}';
const backquotePlaceholder = '{guard.backquote}';
const backslashPlaceholder = '{guard.backslash}';

/** A brace that could open a placeholder in this or a later version of Caddy. */
const openingBrace = /\{(?=\$|(?:[%?]?[a-z][\w.?[\]-]*|args\[[^\]]*\])\})/g;

/** Words that need no quotes. */
const bareWord = /^[A-Za-z0-9_.:/*+,=@-]+$/;

/** A backslash that double quotes cannot contain: before a quote or at the end, it changes which quote is escaped. */
const stuckBackslash = /\\(?:"|$)/;

/** A backslash before a brace, which the `import` directive of Caddy removes. */
const escapingBackslash = /\\(?=[{}])/g;

/** Matches texts like regular expressions. By convention they are written in backquotes, and prose in double quotes. */
const patternLike = /["\\^$()[\]|]/;

const escapeForImport = (text: string): string => text.replace(escapingBackslash, backslashPlaceholder);

/** Maximum number of opening braces after the last closing one. An import empties a word that has more. */
const mostUnclosed = 100;

function closeBraces(text: string): string {
  const tail = text.lastIndexOf('}') + 1;
  const parts = text.slice(tail).split('{');
  return parts.length - 1 > mostUnclosed ? text.slice(0, tail) + parts.join(bracePlaceholder) : text;
}

export function wordText(text: string): string {
  if (bareWord.test(text)) return text;
  const safe = closeBraces(escapeForImport(text.replace(openingBrace, bracePlaceholder)));
  if (!safe.includes('`') && !patternLike.test(text)) return `"${safe}"`;
  if (!safe.includes('`')) return `\`${safe}\``;
  if (!stuckBackslash.test(safe)) return `"${safe.replaceAll('"', '\\"')}"`;
  return `\`${escapeForImport(safe.replaceAll('`', backquotePlaceholder))}\``;
}

export type Item = string | Block;
export interface Block {
  readonly head: string;
  readonly items: readonly Item[];
}

/** `key value value ...` */
export function lineText(key: string, ...values: readonly (string | number | boolean)[]): string {
  return [key, ...values.map((value) => wordText(String(value)))].join(' ');
}

const longestLine = 100;

export function wrappedLines(key: string, values: readonly string[]): string[] {
  const lines: string[] = [];
  for (const value of values.map(wordText)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + value.length < longestLine) lines[lines.length - 1] = `${last} ${value}`;
    else lines.push(`${key} ${value}`);
  }
  return lines;
}

/** Formats items like `caddy fmt`: one tab per level. */
export function renderItems(items: readonly Item[], indent = ''): string {
  return items
    .map((item) => {
      if (typeof item === 'string') return `${indent}${item}\n`;
      return `${indent}${item.head} {\n${renderItems(item.items, `${indent}\t`)}${indent}}\n`;
    })
    .join('');
}
