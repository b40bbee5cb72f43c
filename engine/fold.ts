/**
 * Folding replaces two kinds of sequences by ASCII characters: overlong UTF-8, which RFC 3629 3 forbids, and characters
 * that servers convert to ASCII. URL parsers convert characters in host names (Unicode TR 46):
 * `http://①⑥⑨。254。①⑥⑨。254/` resolves to 169.254.169.254.
 */

/**
 * Overlong sequences of two bytes. The second is a continuation byte, or a byte that a careless decoder turns into `.`,
 * `/` or `\`.
 */
const twoBytes = /[\xc0\xc1][\x80-\xbf./\\]|\xc0[no\xee\xef]|\xc1[\x1c\xdc]/;
/** Overlong sequences of three to six bytes: all bits but the last seven are zero. */
const moreBytes = /(?:\xe0|\xf0\x80|\xf8\x80\x80|\xfc\x80\x80\x80)[\x80\x81][\x80-\xbf]/;
/** A sequence of three bytes that is not overlong. It can be a look-alike of an ASCII character. */
const threeBytes = /[\xe1-\xef][\x80-\xbf]{2}/;

const foldableSequence = new RegExp([twoBytes, moreBytes, threeBytes].map((part) => part.source).join('|'), 'g');

/** Single characters that servers or URL parsers convert to ASCII. */
const lookAlikes: ReadonlyMap<number, string> = new Map([
  [0x2044, '/'],
  [0x2215, '/'],
  [0x29f8, '/'],
  [0xefc8, '/'],
  [0x2216, '\\'],
  [0x29f5, '\\'],
  [0xfe68, '\\'],
  [0xf025, '\\'],
  [0x2024, '.'],
  [0x2025, '..'],
  [0x2026, '...'],
  [0x3002, '.'],
  [0xff61, '.'],
  [0x24ea, '0'],
]);

/**
 * Full-width forms, and circled digits and letters: the first and last code point, and the ASCII character of the
 * first.
 */
const lookAlikeRanges: readonly (readonly [first: number, last: number, to: string])[] = [
  [0xff01, 0xff5e, '!'],
  [0x2460, 0x2468, '1'],
  [0x24b6, 0x24cf, 'A'],
  [0x24d0, 0x24e9, 'a'],
];

function foldTwoBytes(sequence: string): string {
  const second = sequence.charCodeAt(1);
  const value = String.fromCharCode(((sequence.charCodeAt(0) & 0x1f) << 6) | (second & 0x3f));
  const isContinuation = second >= 0x80 && second <= 0xbf;
  return isContinuation || './\\'.includes(value) ? value : sequence.charAt(1);
}

function foldThreeBytes(sequence: string): string {
  const bits = (index: number) => sequence.charCodeAt(index) & 0x3f;
  const codePoint = ((sequence.charCodeAt(0) & 0x0f) << 12) | (bits(1) << 6) | bits(2);
  for (const [first, last, to] of lookAlikeRanges)
    if (codePoint >= first && codePoint <= last) return String.fromCharCode(to.charCodeAt(0) + codePoint - first);
  return lookAlikes.get(codePoint) ?? sequence;
}

function foldMoreBytes(sequence: string): string {
  const high = sequence.charCodeAt(sequence.length - 2) & 1;
  return String.fromCharCode((high << 6) | (sequence.charCodeAt(sequence.length - 1) & 0x3f));
}

function foldOne(sequence: string): string {
  if (sequence.length === 2) return foldTwoBytes(sequence);
  const lead = sequence.charCodeAt(0);
  return lead >= 0xe1 && lead <= 0xef ? foldThreeBytes(sequence) : foldMoreBytes(sequence);
}

/** Replaces foldable sequences by characters, in one pass from left to right: results are not folded again. */
export function foldToAscii(bytes: string): string {
  return bytes.replace(foldableSequence, foldOne);
}
