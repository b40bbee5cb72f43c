/** Addresses as 32-bit words, without objects and bigints: every connection looks its address up in tables. */

import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { parseNetwork } from '../../contract/values/address.ts';

export type Family = 4 | 6;

/** Four words. An IPv4 address is in the first word, and the others are zero. */
export type Words = Uint32Array;

export const bitsOf = { 4: 32, 6: 128 } as const;

const wordBits = 32n;
const dot = 46;
const colon = 58;
const zero = 48;
const mappedMark = 0xffff;
const groupCount = 8;
const groups = new Uint16Array(groupCount); // scratch space of readIpv6

/** Reads a dotted quad from `at` to the end of `text`. Returns -1 when it is not one. */
function readQuad(text: string, at: number): number {
  let value = 0;
  let octet = -1; // -1: no digit yet
  let dots = 0;
  for (let index = at; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === dot) {
      if (octet < 0 || ++dots > 3) return -1;
      value = value * 256 + octet;
      octet = -1;
    } else {
      const digit = code - zero;
      if (digit < 0 || digit > 9 || octet === 0) return -1; // no leading zeros
      octet = octet < 0 ? digit : octet * 10 + digit;
      if (octet > 255) return -1;
    }
  }
  return dots === 3 && octet >= 0 ? value * 256 + octet : -1;
}

const noDigit = 16;
/** The value of each hexadecimal digit, by its byte. The table avoids branches that the processor would mispredict. */
const digitValues = Uint8Array.from({ length: 256 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? noDigit : value;
});

const longestText = 'ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255'.length;
/** Scratch space of readGroups: up to three bytes for each character, and some for reading one group past the end. */
const addressBytes = Buffer.alloc(3 * longestText + 4);

const digitAt = (at: number): number => digitValues[addressBytes[at] as number] as number;

/**
 * Reads an IPv6 address into `groups`, with zeros for `::`. Returns whether `text` is one. Reads bytes, because
 * `charCodeAt` is slower.
 */
function readGroups(text: string): boolean {
  if (text.length > longestText) return false;
  const length = addressBytes.write(text);
  addressBytes[length] = 0; // the zero ends the last group
  let count = 0;
  let gap = -1; // the index of the first group after `::`
  let at = 0;
  if (addressBytes[0] === colon && addressBytes[++at] !== colon) return false;
  while (at < length) {
    if (addressBytes[at] === colon) {
      if (gap >= 0) return false;
      gap = count;
      at++;
      continue;
    }
    const d0 = digitAt(at);
    const d1 = digitAt(at + 1);
    const d2 = digitAt(at + 2);
    const d3 = digitAt(at + 3);
    let value = d0;
    let end = at + 1;
    if ((d0 | d1 | d2 | d3) < noDigit) {
      value = (d0 << 12) | (d1 << 8) | (d2 << 4) | d3;
      end = at + 4;
    } else if (d0 === noDigit) return false;
    else if (d1 < noDigit) {
      value = d2 < noDigit ? (d0 << 8) | (d1 << 4) | d2 : (d0 << 4) | d1;
      end = at + (d2 < noDigit ? 3 : 2);
    }
    if (addressBytes[end] === dot) {
      const quad = readQuad(text, at);
      if (quad < 0 || count > groupCount - 2) return false;
      groups[count++] = quad >>> 16;
      groups[count++] = quad & 0xffff;
      return closeGap(count, gap);
    }
    if (count === groupCount) return false;
    groups[count++] = value;
    if (end === length) return closeGap(count, gap);
    if (addressBytes[end] !== colon) return false;
    at = end + 1;
  }
  return gap === count && closeGap(count, gap); // the last group can be empty only after `::`
}

/** Moves the groups after `::` to the end. Returns whether the number of groups is valid. */
function closeGap(count: number, gap: number): boolean {
  if (gap < 0) return count === groupCount;
  if (count === groupCount) return false; // `::` must replace at least one group
  for (let from = count - 1, to = groupCount - 1; from >= gap; from--, to--) groups[to] = groups[from] as number;
  for (let index = gap; index < groupCount - (count - gap); index++) groups[index] = 0;
  return true;
}

const wordOfGroups = (index: number): number =>
  (((groups[index] as number) << 16) | (groups[index + 1] as number)) >>> 0;

/** Reads an address into `out`. Returns its family, or 0 for another text. An IPv4-mapped address counts as IPv4. */
export function readAddress(text: string, out: Words): Family | 0 {
  const quad = readQuad(text, 0);
  if (quad >= 0) return setWords(out, 4, quad, 0, 0, 0);
  if (!readGroups(text)) return 0;
  const isMapped = wordOfGroups(0) === 0 && wordOfGroups(2) === 0 && wordOfGroups(4) === mappedMark;
  return isMapped
    ? setWords(out, 4, wordOfGroups(6), 0, 0, 0)
    : setWords(out, 6, wordOfGroups(0), wordOfGroups(2), wordOfGroups(4), wordOfGroups(6));
}

function setWords(out: Words, family: Family, w0: number, w1: number, w2: number, w3: number): Family {
  out[0] = w0;
  out[1] = w1;
  out[2] = w2;
  out[3] = w3;
  return family;
}

/** An address or network: its first address and its length in bits. */
export interface Prefix {
  readonly family: Family;
  readonly words: Words;
  readonly length: number;
}

const wordOf = (value: bigint, index: number): number =>
  Number((value >> (wordBits * BigInt(3 - index))) & 0xffffffffn);

/** Parses an address or network and clears its host bits. Returns undefined when `text` is neither. */
export const readPrefix = (text: string): Prefix | undefined => readPrefixInto(text, new Uint32Array(4));

/** Like `readPrefix`, but writes to words that the caller owns. */
export function readPrefixInto(text: string, words: Words): Prefix | undefined {
  const family = text.includes('/') ? 0 : readAddress(text, words);
  if (family !== 0) return { family, words, length: bitsOf[family] };
  const network = parseNetwork(text);
  if (!network) return undefined;
  const first = network.prefix << BigInt(bitsOf[network.family] - network.length);
  const value = network.family === 4 ? first << (wordBits * 3n) : first;
  for (let index = 0; index < 4; index++) words[index] = wordOf(value, index);
  return { family: network.family, words, length: network.length };
}

/** Whether the network covers too many addresses for a ban. */
export const isTooWide = ({ family, length }: Prefix): boolean => length < daemonBounds.banPrefix[family];

/** Whether a client cannot have these addresses: RFC 1122 3.2.1.3 and RFC 4291 2.5.2 reserve them. */
export const isUnspecified = ({ family, length, words }: Prefix): boolean =>
  family === 4 ? (words[0] as number) >>> 24 === 0 && length >= 8 : length === 128 && words.every((word) => word === 0);

/** Word `index` of an address. Bits after the first `bits` of the address are cleared. */
export function maskedWord(word: number, index: number, bits: number): number {
  const left = bits - 32 * index;
  if (left >= 32) return word;
  return left <= 0 ? 0 : (word & (-1 << (32 - left))) >>> 0;
}

export function covers(outer: Prefix, inner: Prefix): boolean {
  if (outer.family !== inner.family || outer.length > inner.length) return false;
  return outer.words.every((word, index) => word === maskedWord(inner.words[index] as number, index, outer.length));
}

/** Compares two addresses in arrays, at `atA` and `atB`. Negative when the first sorts first. */
export function compareWords(a: Words, atA: number, b: Words, atB: number): number {
  for (let index = 0; index < 4; index++) {
    const difference = (a[atA + index] as number) - (b[atB + index] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Compares by family, address and length. Negative when `a` sorts first. */
export const comparePrefixes = (a: Prefix, b: Prefix): number =>
  a.family - b.family || compareWords(a.words, 0, b.words, 0) || a.length - b.length;

const groupOf = (words: Words, at: number, index: number): number =>
  ((words[at + (index >> 1)] as number) >>> (index % 2 === 0 ? 16 : 0)) & 0xffff;

/** Writes the first longest run of two or more zero groups as `::` (RFC 5952). */
function formatIpv6(words: Words, at: number): string {
  let [from, longest] = [groupCount, 1];
  for (let index = 0, run = 0; index < groupCount; index++) {
    run = groupOf(words, at, index) === 0 ? run + 1 : 0;
    if (run <= longest) continue;
    from = index - run + 1;
    longest = run;
  }
  let text = '';
  for (let index = 0; index < from; index++) text += (index > 0 ? ':' : '') + groupOf(words, at, index).toString(16);
  if (from === groupCount) return text;
  text += '::';
  for (let index = from + longest; index < groupCount; index++)
    text += (index > from + longest ? ':' : '') + groupOf(words, at, index).toString(16);
  return text;
}

/** The canonical text of the address or network in `words` at `at`. */
export function formatWords(family: Family, words: Words, at: number, length: number): string {
  const first = words[at] as number;
  const address =
    family === 6
      ? formatIpv6(words, at)
      : `${first >>> 24}.${(first >>> 16) & 255}.${(first >>> 8) & 255}.${first & 255}`;
  return length === bitsOf[family] ? address : `${address}/${length}`;
}

export const formatPrefix = ({ family, words, length }: Prefix): string => formatWords(family, words, 0, length);
