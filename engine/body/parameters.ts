/** Returns every reading of a parameter's value (RFC 9110 5.6.6), because servers parse values differently. */
import { limits } from '../../contract/policy/limits.ts';
import { strip } from '../bytes.ts';

const blanks = ' \t\n\v\f\r';

/** Returns the text before the next unescaped `quote`, or the whole text. */
function textBeforeQuote(text: string, quote: string): string {
  let end = 0;
  while (end < text.length && text.charAt(end) !== quote) end += text.charAt(end) === '\\' ? 2 : 1;
  return text.slice(0, end);
}

/** Returns the readings of a quoted value. Servers differ in the escapes that they decode. */
function quotedReadings(text: string, quote: string): string[] {
  const value = textBeforeQuote(text, quote);
  if (!value.includes('\\')) return [value];
  return [value.replace(/\\(["\\])/g, '$1'), value.replace(/\\(.)/gs, '$1'), value.split(quote)[0] as string];
}

/** Yields the readings of an unquoted value, which servers end at a blank, a comma or a semicolon. */
function* bareReadings(text: string): Generator<string> {
  const whole = text.split(';', 1)[0] as string;
  if (!text.startsWith('"')) yield (/^[^" \t\n\v\f\r]*/.exec(whole) as RegExpExecArray)[0];
  yield strip(whole.split(',', 1)[0] as string, blanks);
  yield strip(whole, blanks);
}

/**
 * Returns the distinct readings of the value at `at`. With `keepsMarks`, also returns readings with the quotation marks,
 * or the blanks before the value.
 */
export function valueReadings(text: string, at: number, keepsMarks: boolean): Set<string> {
  const whole = text.slice(at, at + limits.bodyValueBytes);
  const rest = whole.replace(/^[ \t]+/, '');
  const quote = /^["']/.exec(rest)?.[0];
  const readings = new Set(quote === undefined ? [] : quotedReadings(rest.slice(1), quote));
  if (keepsMarks || !/^"[^"]*"[ \t]*(?:;|$)/.test(rest))
    for (const reading of bareReadings(rest)) readings.add(reading);
  if (keepsMarks) readings.add(whole.split(/[,;]/, 1)[0] as string);
  return readings;
}
