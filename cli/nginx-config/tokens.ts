/** Words of a configuration of nginx, as `ngx_conf_read_token` splits them. */

export interface Token {
  readonly kind: 'word' | ';' | '{' | '}';
  /** Unquoted. */
  readonly text: string;
  /** From 1. */
  readonly line: number;
  /** Where the text goes on behind it. */
  readonly end: number;
}

/** Something that nginx could not read either. */
export class NginxSyntaxError extends Error {
  readonly line: number;
  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

const blank = /(?:[ \t\r\n]|#[^\n]*)*/y;
/** A word ends at white space, at `;` and at a brace that belongs to no variable; a backslash keeps what follows. */
const bareWord = /(?:\\.|\$\{|[^ \t\r\n;{\\])+/sy;
const quotedWord = /"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'/sy;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const unescaped = (text: string): string => text.replace(/\\(["'\\ ])/g, '$1');

/** The token at or behind `at`, or undefined at the end of the text. Lines count on from `line`, which is that of `at`. */
export function nextToken(text: string, at: number, line: number): Token | undefined {
  const skipped = matchAt(blank, text, at)?.[0] ?? '';
  const start = at + skipped.length;
  const own = line + countLines(skipped);
  const first = text[start];
  if (first === undefined) return undefined;
  if (first === ';' || first === '{' || first === '}') return { kind: first, text: first, line: own, end: start + 1 };
  const isQuoted = first === '"' || first === "'";
  const found = matchAt(isQuoted ? quotedWord : bareWord, text, start);
  if (!found) throw new NginxSyntaxError('a quote is not closed', own);
  const [whole, double, single] = found;
  const end = start + whole.length;
  if (isQuoted && !/^(?:[\s;{)]|$)/.test(text.slice(end, end + 1)))
    throw new NginxSyntaxError('something stands right behind a quote', own);
  return { kind: 'word', text: unescaped(double ?? single ?? whole), line: own, end };
}

export function countLines(text: string): number {
  let count = 0;
  for (const character of text) if (character === '\n') count += 1;
  return count;
}
