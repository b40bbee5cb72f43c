/** Finds the end of a `*_by_lua_block` with the rules of nginx, and strips comments from its Lua. */
import { NginxSyntaxError } from './tokens.ts';

/** Comments come first, because a long comment begins like a short one. */
const piece =
  /--\[(=*)\[.*?\]\1\]|(?!--\[=*\[)--[^\n]*|\[(=*)\[.*?\]\2\]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[{}]|[^{}"'[-]+|(?:--)?\[=*\[|./sy;

/** The start of what has no end. Each takes a search of all that follows, so only the first one is looked for. */
const unclosed = /^(?:(?:--)?\[=*\[|["'])$/;

/** Index of the closing brace of the block whose content begins at `start`. */
export function endOfLua(text: string, start: number, line: number): number {
  let depth = 1;
  piece.lastIndex = start;
  for (let found = piece.exec(text); found; found = piece.exec(text)) {
    if (unclosed.test(found[0])) break;
    if (found[0] === '{') depth += 1;
    else if (found[0] === '}') depth -= 1;
    if (depth === 0) return piece.lastIndex - 1;
  }
  throw new NginxSyntaxError('a block of Lua is not closed', line);
}

/** Comments, and strings that may look like comments. One without an end has all that follows. */
const commentOrText =
  /--\[(=*)\[.*?(?:\]\1\]|$)|--[^\n]*|\[(=*)\[.*?(?:\]\2\]|$)|"(?:\\.|[^"\\])*(?:"|$)|'(?:\\.|[^'\\])*(?:'|$)/gs;

/** Lua without comments, so that a commented call does not count. */
export const withoutComments = (lua: string): string =>
  lua.replace(commentOrText, (found) => (found.startsWith('--') ? ' ' : found));
