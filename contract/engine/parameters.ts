/** Parameters of a header value: `; name=value` and `; name="quoted value"` (RFC 9110 5.6.6). */

/** What the two headers that have parameters here take differently. */
export interface ParameterStyle {
  /** Sticky-free and global; matches from the semicolon to the equals sign, the name in group 1. */
  readonly name: RegExp;
  /** Whether a quoted value may lack its closing quote. */
  readonly mayBeOpen: boolean;
  /** Which escaped characters lose their backslash. */
  readonly escape: RegExp;
}

/** Index behind the quoted text that starts at `at`, which is its closing quote if it has one. */
function quotedEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && text.charAt(end) !== '"') {
    const isEscape = text.charAt(end) === '\\';
    const escaped = text.charAt(end + 1);
    if (isEscape && (escaped === '' || escaped === '\n')) return end;
    end += isEscape ? 2 : 1;
  }
  return end;
}

const unquoted = /[^;" \t\n\r\f\v]*/y;

/** The value at `at`, and where it ends. */
function parseValue(text: string, at: number, style: ParameterStyle): { value: string; end: number } {
  if (text.charAt(at) === '"') {
    const end = quotedEnd(text, at + 1);
    const isClosed = text.charAt(end) === '"';
    const value = text.slice(at + 1, end).replace(style.escape, '$1');
    if (isClosed || style.mayBeOpen) return { value, end: isClosed ? end + 1 : end };
  }
  unquoted.lastIndex = at;
  const value = unquoted.exec(text)?.[0] ?? '';
  return { value, end: at + value.length };
}

/** Parameters by lower-case name; of several with one name the first counts. */
export function parseParameters(text: string, style: ParameterStyle): Map<string, string> {
  const parameters = new Map<string, string>();
  const name = new RegExp(style.name, 'g');
  for (let match = name.exec(text); match; match = name.exec(text)) {
    const { value, end } = parseValue(text, name.lastIndex, style);
    const key = (match[1] as string).toLowerCase();
    if (!parameters.has(key)) parameters.set(key, value);
    name.lastIndex = end;
  }
  return parameters;
}
