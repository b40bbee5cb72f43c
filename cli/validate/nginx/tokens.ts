/** Splits an nginx configuration into words like `ngx_conf_read_token`. */

export interface Token {
  readonly kind: 'word' | ';' | '{' | '}';
  readonly text: string;
  /** Line number, from 1. */
  readonly line: number;
  /** Offset after the token. */
  readonly end: number;
}

/** An error that nginx would report, too, or blocks that are nested too deeply for this parser. */
export class NginxSyntaxError extends Error {
  readonly line: number;
  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

const blank = /(?:[ \t\r\n]|#[^\n]*)*/y;
/**
 * Matches a word without quotes. It ends at white space, at `;`, and at `{` unless `$` precedes it. A backslash escapes
 * the next character.
 */
const bareWord = /(?:\\.|\$\{|[^ \t\r\n;{\\])+/sy;
const quotedWord = /"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'/sy;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const unescaped = (text: string): string => text.replace(/\\(["'\\ ])/g, '$1');

/** Returns the next token, or undefined at the end of the text. @param line line of `at` */
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
    throw new NginxSyntaxError('unexpected text after a quote', own);
  return { kind: 'word', text: unescaped(double ?? single ?? whole), line: own, end };
}

export function countLines(text: string): number {
  let count = 0;
  for (const character of text) if (character === '\n') count += 1;
  return count;
}
