/**
 * The strict grammar of addresses and networks: IPv4 without leading zeros or short forms, and IPv6 without zone. An
 * IPv4-mapped address counts as IPv4 (RFC 4291 2.2, 2.5.5.2). Libraries disagree about looser forms, and such an
 * address could bypass the guard.
 */
import { expandPresets } from './presets.ts';

export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

export interface Network {
  readonly family: 4 | 6;
  readonly prefix: bigint;
  readonly length: number;
}

export const widths = { 4: 32, 6: 128 } as const;
const mappedBits = widths[6] - widths[4];
const mappedPrefix = 0xffffn; // ::ffff:0:0/96
const ipv6Groups = 8;

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const quad = new RegExp(`^${octet}(?:\\.${octet}){3}$`);

function parseQuad(text: string): bigint | undefined {
  if (!quad.test(text)) return undefined;
  return text.split('.').reduce((value, octet) => (value << 8n) | BigInt(octet), 0n);
}

/** Parses the groups of one side of `::`, each 16 bits. `last`: a dotted quad may replace the last two groups. */
function parseGroups(text: string, last: boolean): number[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const groups: number[] = [];
  for (const [index, part] of parts.entries()) {
    const tail = last && index === parts.length - 1 ? parseQuad(part) : undefined;
    if (tail !== undefined) groups.push(Number(tail >> 16n), Number(tail & 0xffffn));
    else if (/^[0-9A-Fa-f]{1,4}$/.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

function parseIpv6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] as string, halves.length === 1);
  const tail = halves.length === 1 ? [] : parseGroups(halves[1] as string, true);
  if (!head || !tail) return undefined;
  const missing = ipv6Groups - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...new Array<number>(missing).fill(0), ...tail];
  return groups.reduce((value, group) => (value << 16n) | BigInt(group), 0n);
}

export function parseAddress(text: string): Address | undefined {
  const quadValue = parseQuad(text);
  if (quadValue !== undefined) return { family: 4, value: quadValue };
  if (!text.includes(':')) return undefined;
  const value = parseIpv6(text);
  if (value === undefined) return undefined;
  if (value >> BigInt(widths[4]) === mappedPrefix) return { family: 4, value: value & 0xffffffffn };
  return { family: 6, value };
}

/** Parses an address or a network, and masks its host bits. Returns undefined for another text. */
export function parseNetwork(text: string): Network | undefined {
  const [host, bits, ...rest] = text.split('/') as [string, string?, ...string[]];
  const address = parseAddress(host);
  if (!address || rest.length > 0) return undefined;
  const width = widths[address.family];
  if (bits === undefined) return { family: address.family, prefix: address.value, length: width };
  if (!/^(?:0|[1-9]\d{0,2})$/.test(bits)) return undefined;
  const isMapped = address.family === 4 && host.includes(':');
  const length = Number(bits) - (isMapped ? mappedBits : 0);
  if (length < 0 || length > width) return undefined;
  return { family: address.family, prefix: address.value >> BigInt(width - length), length };
}

export function contains(network: Network, address: Address): boolean {
  if (network.family !== address.family) return false;
  return address.value >> BigInt(widths[network.family] - network.length) === network.prefix;
}

/** Returns the entries that are addresses or networks, and the networks of presets. */
export function networksOf(texts: readonly string[]): Network[] {
  return expandPresets(texts).flatMap((text) => parseNetwork(text) ?? []);
}

/** Whether an entry of `list` equals or contains the address `text`. False when `text` is not an address. */
export function isListed(list: readonly string[], text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && networksOf(list).some((network) => contains(network, address));
}

/** Parses an entry of X-Forwarded-For: `address`, `IPv4:port`, `[address]` or `[address]:port`. */
export function forwardedAddress(entry: string): Address | undefined {
  const match = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(entry) ?? /^([0-9.]+):\d{1,5}$/.exec(entry);
  return parseAddress(match?.[1] ?? entry);
}

function formatIpv6(value: bigint): string {
  const groups: string[] = [];
  for (let shift = 112n; shift >= 0n; shift -= 16n) groups.push(((value >> shift) & 0xffffn).toString(16));
  const text = groups.join(':');
  const runs = text.match(/\b0(?::0)+\b/g) ?? [];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  return longest === '' ? text : text.replace(new RegExp(`(?:^|:)${longest}(?:$|:)`), '::');
}

/**
 * Formats the canonical text: a dotted quad, or RFC 5952 (lower case, the first longest run of zero groups as `::`).
 */
export function formatAddress(address: Address): string {
  if (address.family === 6) return formatIpv6(address.value);
  return [24n, 16n, 8n, 0n].map((shift) => (address.value >> shift) & 0xffn).join('.');
}

/** Returns the canonical text of an address, or undefined for another text. Every dotted quad is canonical. */
export function canonicalAddress(text: string): string | undefined {
  if (quad.test(text)) return text;
  const address = parseAddress(text);
  return address && formatAddress(address);
}
