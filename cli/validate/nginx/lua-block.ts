/** Finds the end of a `*_by_lua_block` like nginx, and removes comments from Lua. */
import { NginxSyntaxError } from './tokens.ts';

/** Matches a token of Lua. Comments come first, because a long comment begins like a short one. */
const luaToken =
  /--\[(=*)\[.*?\]\1\]|(?!--\[=*\[)--[^\n]*|\[(=*)\[.*?\]\2\]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[{}]|[^{}"'[-]+|(?:--)?\[=*\[|./sy;

/**
 * Matches the opening mark of a string or a long bracket that is never closed. `endOfLua` stops at the first one,
 * because the search for the end of each one would take quadratic time.
 */
const unclosed = /^(?:(?:--)?\[=*\[|["'])$/;

/** Returns the index of the closing brace. The content of the block begins at `start`. */
export function endOfLua(text: string, start: number, line: number): number {
  let depth = 1;
  luaToken.lastIndex = start;
  for (let found = luaToken.exec(text); found; found = luaToken.exec(text)) {
    if (unclosed.test(found[0])) break;
    if (found[0] === '{') depth += 1;
    else if (found[0] === '}') depth -= 1;
    if (depth === 0) return luaToken.lastIndex - 1;
  }
  throw new NginxSyntaxError('a block of Lua is not closed', line);
}

/**
 * Matches a comment or a string of Lua. Strings can contain marks of comments. An unclosed string or comment extends to
 * the end.
 */
const commentOrText =
  /--\[(=*)\[.*?(?:\]\1\]|$)|--[^\n]*|\[(=*)\[.*?(?:\]\2\]|$)|"(?:\\.|[^"\\])*(?:"|$)|'(?:\\.|[^'\\])*(?:'|$)/gs;

export const withoutComments = (lua: string): string =>
  lua.replace(commentOrText, (found) => (found.startsWith('--') ? ' ' : found));
