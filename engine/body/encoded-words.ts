/**
 * Encoded words of mail (RFC 2047) in the names of parts: Tomcat and Commons FileUpload (`MimeUtility.decodeText`) decode them
 * in each parameter, Spring (`ContentDisposition`) in `filename`.
 */
import { withQuotedBytes } from './transfer-encoding.ts';

const encodedWord = /=\?[^? \t]+\?([BQ])\?([^? \t]*)\?=/gi;

function decodeWord(_word: string, encoding: string, text: string): string {
  if (encoding.toUpperCase() === 'B')
    return Buffer.from(text.replace(/[^A-Za-z0-9+/]/g, ''), 'base64').toString('latin1');
  return withQuotedBytes(text.replaceAll('_', ' '));
}

/** Returns a name, and where it has encoded words also its text. Blanks between two of them do not count. */
export function wordReadings(name: string): string[] {
  const text = name.replace(/\?=[ \t]+=\?/g, '?==?').replace(encodedWord, decodeWord);
  return text === name ? [name] : [name, text];
}
