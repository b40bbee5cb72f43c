/** The end of a `*_by_lua_block`: the brace that closes it, found as nginx finds it, past strings and comments of Lua. */
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
