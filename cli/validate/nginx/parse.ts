/** Parses one nginx configuration file into a tree of directives. */
import { endOfLua } from './lua-block.ts';
import { countLines, NginxSyntaxError, nextToken } from './tokens.ts';

export interface Directive {
  readonly name: string;
  readonly args: readonly string[];
  /** Line number, from 1. */
  readonly line: number;
  readonly children?: readonly Directive[];
  /** Source of a `*_by_lua_block`. */
  readonly lua?: string;
}

/** Maximum depth of blocks, because the parser and the checks recurse. Real configurations have about five levels. */
const deepest = 64;

const takesLua = /_by_lua_block$/;

class Reader {
  readonly #text: string;
  #at = 0;
  #line: number;
  #depth = 0;

  constructor(text: string, line: number) {
    this.#text = text;
    this.#line = line;
  }

  #next() {
    const token = nextToken(this.#text, this.#at, this.#line);
    if (!token) return undefined;
    this.#line += countLines(this.#text.slice(this.#at, token.end));
    this.#at = token.end;
    return token;
  }

  #lua(line: number): string {
    const end = endOfLua(this.#text, this.#at, line);
    const source = this.#text.slice(this.#at, end);
    this.#line += countLines(source);
    this.#at = end + 1;
    return source;
  }

  #directive(name: string, line: number): Directive {
    const args: string[] = [];
    for (let token = this.#next(); token; token = this.#next()) {
      if (token.kind === ';') return { name, args, line };
      if (token.kind === '{') {
        return takesLua.test(name)
          ? { name, args, line, lua: this.#lua(line) }
          : { name, args, line, children: this.#nested(line) };
      }
      if (token.kind === '}') break;
      args.push(token.text);
    }
    throw new NginxSyntaxError(`"${name}" does not end with ";"`, line);
  }

  #nested(opened: number): Directive[] {
    this.#depth += 1;
    if (this.#depth > deepest) throw new NginxSyntaxError(`blocks are nested deeper than ${deepest}`, opened);
    const directives = this.block(opened);
    this.#depth -= 1;
    return directives;
  }

  /** Reads the directives of a block. @param opened line of the opening brace; undefined: the whole text */
  block(opened?: number): Directive[] {
    const directives: Directive[] = [];
    for (let token = this.#next(); token; token = this.#next()) {
      if (token.kind === 'word') directives.push(this.#directive(token.text, token.line));
      else if (token.kind === '}' && opened !== undefined) return directives;
      else throw new NginxSyntaxError(`unexpected "${token.kind}"`, token.line);
    }
    if (opened !== undefined) throw new NginxSyntaxError('a block is not closed', opened);
    return directives;
  }
}

/** Parses a file. @param firstLine number of the first line of `text` @throws NginxSyntaxError */
export function parseNginx(text: string, firstLine = 1): readonly Directive[] {
  return new Reader(text, firstLine).block();
}
