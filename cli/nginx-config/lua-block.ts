/** The Lua of a `*_by_lua_block`: where it ends, found as nginx finds it, and what of it runs. */
import { NginxSyntaxError } from './tokens.ts';

/** Comments first: a long one begins like a short one. */
const piece = /--\[(=*)\[.*?\]\1\]|--[^\n]*|\[(=*)\[.*?\]\2\]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[{}]|[^{}"'[-]+|./sy;

/** Index of the closing brace of the block whose content begins at `start`. */
export function endOfLua(text: string, start: number, line: number): number {
  let depth = 1;
  piece.lastIndex = start;
  for (let found = piece.exec(text); found; found = piece.exec(text)) {
    if (found[0] === '{') depth += 1;
    else if (found[0] === '}') depth -= 1;
    if (depth === 0) return piece.lastIndex - 1;
  }
  throw new NginxSyntaxError('a block of Lua is not closed', line);
}

/** Comments, and what may look like one and is a string. */
const commentOrText = /--\[(=*)\[.*?\]\1\]|--[^\n]*|\[(=*)\[.*?\]\2\]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/gs;

/** Lua as it runs: a call that is commented out is none. */
export const withoutComments = (lua: string): string =>
  lua.replace(commentOrText, (found) => (found.startsWith('--') ? ' ' : found));
