/**
 * The table of nftables that drops packets of banned clients for the whole host: for its own ports and, before destination
 * NAT, for the published ports of containers. Each length of prefix has a hash set: networks of different lengths
 * overlap, which one interval set does not allow, and 100,000 elements of an interval set take five times as long.
 */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { bitsOf, type Family, formatPrefix, formatWords, maskedWord, type Prefix } from '../../address/prefix.ts';

export const hostTable = 'inet request_guard';
const chain = 'prerouting';

const families = [4, 6] as const;
const keywords = { 4: 'ip', 6: 'ip6' } as const;
const types = { 4: 'ipv4_addr', 6: 'ipv6_addr' } as const;

/** Ended elements stay in a set until the kernel collects them. */
const setSize = 2 * daemonBounds.kernelBanEntries;
/** nft takes numbers of at most eight digits in a time. */
const longestSeconds = 99_999_999;

export type SetLength = Pick<Prefix, 'family' | 'length'>;

export interface Element {
  readonly prefix: Prefix;
  /** Milliseconds until the end. Infinity: permanently. */
  readonly leftMs: number;
}

const allOnes = Uint32Array.of(0xffff_ffff, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff);

const maskOf = ({ family, length }: SetLength): string =>
  formatWords(
    family,
    allOnes.map((word, index) => maskedWord(word, index, length)),
    0,
    bitsOf[family],
  );

/** `v4_32`, `v6_48`. */
export const setName = ({ family, length }: SetLength): string => `v${family}_${length}`;

/** The first address of a prefix, because the set has the length. */
const address = (prefix: Prefix): string => formatPrefix({ ...prefix, length: bitsOf[prefix.family] });

function withTimeout({ prefix, leftMs }: Element): string {
  if (leftMs === Number.POSITIVE_INFINITY) return address(prefix);
  return `${address(prefix)} timeout ${Math.min(longestSeconds, Math.max(1, Math.ceil(leftMs / 1000)))}s`;
}

const elements = (verb: 'add' | 'delete', set: string, texts: readonly string[]): string[] =>
  texts.length === 0 ? [] : [`${verb} element ${hostTable} ${set} { ${texts.join(', ')} }`];

/** The set of a length, and the rule that drops its packets. */
export function lengthText(of: SetLength): string[] {
  const { family, length } = of;
  const source = `${keywords[family]} saddr${length === bitsOf[family] ? '' : ` & ${maskOf(of)}`}`;
  return [
    `add set ${hostTable} ${setName(of)} { type ${types[family]}; flags timeout; size ${setSize}; }`,
    `add rule ${hostTable} ${chain} ${source} @${setName(of)} counter name bans drop`,
  ];
}

/**
 * Changes elements in one transaction. Adding an element again would keep its end, and deleting one that has ended would
 * fail, so each is added, deleted and added with its new end.
 */
export function changeText(changes: readonly Element[]): string[] {
  const bySet = Map.groupBy(changes, ({ prefix }) => setName(prefix));
  return [...bySet].flatMap(([set, rows]) => {
    const all = rows.map(({ prefix }) => address(prefix));
    const kept = rows.filter(({ leftMs }) => leftMs > 0);
    return [
      ...elements('add', set, all),
      ...elements('delete', set, all),
      ...elements('add', set, kept.map(withTimeout)),
    ];
  });
}

/** Networks that are never dropped, although a banned network contains them. */
function exemptText(exempt: readonly Prefix[]): string[] {
  return families.flatMap((family: Family) => {
    const set = `exempt_${family}`;
    const texts = exempt.filter((prefix) => prefix.family === family).map(formatPrefix);
    return [
      `add set ${hostTable} ${set} { type ${types[family]}; flags interval; auto-merge; }`,
      ...elements('add', set, texts),
      `add rule ${hostTable} ${chain} ${keywords[family]} saddr @${set} accept`,
    ];
  });
}

export interface HostRules {
  readonly exempt: readonly Prefix[];
  /** Ports of services that hold refused connections in a tarpit. */
  readonly spared: readonly number[];
  readonly lengths: readonly SetLength[];
  readonly elements: readonly Element[];
}

/**
 * The whole table in one transaction, which replaces an older one without a gap. Its rules see a packet after connection
 * tracking (priority -200) and before destination NAT (-100).
 */
export function tableText({ exempt, spared, lengths, elements: all }: HostRules): string[] {
  const rule = (text: string): string => `add rule ${hostTable} ${chain} ${text}`;
  return [
    `add table ${hostTable}`,
    `delete table ${hostTable}`,
    `add table ${hostTable}`,
    `add counter ${hostTable} bans`,
    `add chain ${hostTable} ${chain} { type filter hook prerouting priority -150; policy accept; }`,
    rule('ct direction reply accept'), // answers to connections that this host began
    rule('iif lo accept'),
    rule('icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, nd-router-advert } accept'),
    ...exemptText(exempt),
    ...(spared.length === 0 ? [] : [rule(`tcp dport { ${spared.join(', ')} } accept`)]),
    ...lengths.flatMap(lengthText),
    ...[...Map.groupBy(all, ({ prefix }) => setName(prefix))].flatMap(([set, rows]) =>
      elements('add', set, rows.map(withTimeout)),
    ),
  ];
}
