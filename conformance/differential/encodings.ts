/** Encodings of a byte that some server decodes to the original byte. */
import type { Random } from './random.ts';

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
const bytes = (...codes: number[]) => String.fromCharCode(...codes);

const percentForm = (code: number) => `%${hex(code, 2)}`;
const highBitsByte = (code: number) => 0x80 | (code >> 6);
const lowBitsByte = (code: number) => 0x80 | (code & 0x3f);

const utf8 = (codePoint: number) => Buffer.from(String.fromCodePoint(codePoint)).toString('latin1');

/** Returns a character that IDNA maps to this one in a host name, or the percent form when the table has none. */
function hostForm(code: number): string {
  if (code === 0x2e) return utf8(0x3002);
  if (code >= 0x31 && code <= 0x39) return utf8(0x2460 + code - 0x31);
  return code >= 0x61 && code <= 0x7a ? utf8(0x24d0 + code - 0x61) : percentForm(code);
}

const encodings: readonly ((code: number) => string)[] = [
  percentForm,
  (code) => percentForm(code).toUpperCase(),
  (code) => `%25${hex(code, 2)}`,
  (code) => `%u00${hex(code, 2)}`,
  (code) => `%U${hex(code + 0xfee0, 4)}`,
  (code) => bytes(0xc0 | (code >> 6), lowBitsByte(code)),
  (code) => bytes(0xc0 | (code >> 6), code & 0x7f),
  (code) => bytes(0xe0, highBitsByte(code), lowBitsByte(code)),
  (code) => bytes(0xf0, 0x80, highBitsByte(code), lowBitsByte(code)),
  (code) => bytes(0xf8, 0x80, 0x80, highBitsByte(code), lowBitsByte(code)),
  (code) => bytes(0xfc, 0x80, 0x80, 0x80, highBitsByte(code), lowBitsByte(code)),
  (code) => bytes(0xef, 0xbc + ((code - 0x20) >> 6), 0x80 | ((code - 0x20) & 0x3f)),
  (code) => `%c${hex(code >> 6, 1)}${percentForm(lowBitsByte(code))}`,
  hostForm,
];

/** Encodes about a third of the ASCII characters, and about a third of those repeatedly. */
export function encodeSome(random: Random, text: string): string {
  return [...text]
    .map((character) => {
      if (!random.oneIn(3) || character > '\x7e') return character;
      const once = random.pick(encodings)(character.charCodeAt(0));
      return random.oneIn(3) ? percentEncoded(once, random) : once;
    })
    .join('');
}

/** Encodes as base64 in either alphabet, sometimes without padding. */
export function randomBase64(random: Random, text: string): string {
  const padded = Buffer.from(text, 'latin1').toString(random.pick(['base64', 'base64url']));
  return random.oneIn(2) ? padded : padded.replace(/=+$/, '');
}

const percentForms = Array.from({ length: 0x100 }, (_, code) => percentForm(code));

/** Percent-encodes all bytes except letters and digits, one to three times. */
export function percentEncoded(text: string, random: Random): string {
  let result = text;
  for (let rounds = 1 + random.integer(3); rounds > 0; rounds -= 1)
    result = result.replace(/[^A-Za-z0-9]/g, (byte) => percentForms[byte.charCodeAt(0)] ?? '');
  return result;
}
