/** Transfer encodings of parts of a multipart form (RFC 2045 6), which some servers decode. */
import { stripEnd } from '../bytes.ts';

/** Decodes `=HH`. */
export const withQuotedBytes = (text: string): string =>
  text.replace(/=([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

/**
 * Decodes quoted-printable. Ignores blanks at the end of a line and soft line breaks. Everything except `=HH` is
 * literal.
 */
function fromQuotedPrintable(text: string): string {
  return withQuotedBytes(
    stripEnd(text, ' \t')
      .replace(/([ \t]+)(\r?\n)?/g, (_, blanks: string, end: string | undefined) => end ?? blanks)
      .replace(/=(?:\r?\n|$)/g, ''),
  );
}

/** Groups of four characters as Python reads them: stray `=` are skipped. */
const base64Groups = /^(?:=*[^=]=*[^=]=?[^=]{2})*(?:=*[^=](?:=*[^=](?:=?[^=])?)?)?/;

/**
 * Yields up to two readings of base64: the text up to the first `=`, and what Python decodes, which drops an incomplete
 * byte at the end.
 */
function* fromBase64(text: string): Generator<string> {
  const code = text.replace(/[^A-Za-z0-9+/=]+/g, '');
  const [plain = ''] = code.split('=', 1);
  const lenient = (base64Groups.exec(code)?.[0] ?? '').replaceAll('=', '');
  for (const readable of new Set([plain, lenient])) yield Buffer.from(readable, 'base64').toString('latin1');
}

const decoders = {
  'quoted-printable': function* (text: string) {
    yield fromQuotedPrintable(text);
  },
  base64: fromBase64,
} as const;

export type TransferEncoding = keyof typeof decoders;

const names = Object.keys(decoders) as TransferEncoding[];

/** Returns the encodings whose name occurs anywhere in the text. */
export function encodingsIn(text: string): TransferEncoding[] {
  const lower = text.toLowerCase();
  return names.filter((name) => lower.includes(name));
}

export function* decodedTexts(encodings: readonly TransferEncoding[], text: string): Generator<string> {
  for (const name of encodings) yield* decoders[name](text);
}
