/** Finds the end of a `*_by_lua_block` with the rules of nginx. Removes comments from its Lua code. */
import { NginxSyntaxError } from './tokens.ts';

/** Matches a token. Comments come first, because a long comment begins like a short one. */
const luaToken =
  /--\[(=*)\[.*?\]\1\]|(?!--\[=*\[)--[^\n]*|\[(=*)\[.*?\]\2\]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[{}]|[^{}"'[-]+|(?:--)?\[=*\[|./sy;

/**
 * Matches the start of an unclosed token. Searching for its end takes linear time, so only the first unclosed token is
 * searched for.
 */
const unclosed = /^(?:(?:--)?\[=*\[|["'])$/;

/** Returns the index of the closing brace of the block whose content begins at `start`. */
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

/** Matches comments, and strings that can contain comments. An unclosed one extends to the end. */
const commentOrText =
  /--\[(=*)\[.*?(?:\]\1\]|$)|--[^\n]*|\[(=*)\[.*?(?:\]\2\]|$)|"(?:\\.|[^"\\])*(?:"|$)|'(?:\\.|[^'\\])*(?:'|$)/gs;

/** Returns Lua without comments, so that a commented call does not count. */
export const withoutComments = (lua: string): string =>
  lua.replace(commentOrText, (found) => (found.startsWith('--') ? ' ' : found));
