/** One round of URL decoding. */
import { utf8 } from './bytes.ts';

const urlEscape = /%(?:([0-9A-Fa-f]{2})|[uU]([0-9A-Fa-f]{4}))/g;

function decodeOne(sequence: string, pair: string | undefined, quad: string | undefined): string {
  if (pair !== undefined) return String.fromCharCode(Number.parseInt(pair, 16));
  const codePoint = Number.parseInt(quad as string, 16);
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  return isSurrogate ? sequence : utf8(codePoint);
}

/** Decodes `%HH` and the `%uHHHH` of old IIS in one pass; everything else stays unchanged. */
export function decode(bytes: string): string {
  return bytes.includes('%') ? bytes.replace(urlEscape, decodeOne) : bytes;
}
