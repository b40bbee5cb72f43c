/**
 * The table of nftables that drops packets of banned clients. Each length of prefix has a hash set: networks of different
 * lengths overlap, which one interval set does not allow, and 100,000 elements of an interval set take five times as long.
 */
import { createHash } from 'node:crypto';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import {
  bitsOf,
  formatPrefix,
  formatWords,
  isUnspecified,
  maskedWord,
  type Prefix,
  readPrefix,
} from '../address/prefix.ts';
import { type ListName, listNames } from './kernel-bans.ts';

export const table = 'inet request_guard';

const families = [4, 6] as const;
const keywords = { 4: 'ip', 6: 'ip6' } as const;
const types = { 4: 'ipv4_addr', 6: 'ipv6_addr' } as const;

/**
 * `host` sees a packet after connection tracking (priority -200) and before destination NAT (-100), so also packets to the
 * published ports of containers. `services` sees the packets that a socket of this host would get.
 */
const hooks = { host: 'prerouting', services: 'input' } as const satisfies Record<Daemon['bans']['scope'], string>;

/** Ended elements stay in a set until the kernel collects them. */
const setSize = 2 * daemonBounds.kernelBanEntries;
/** Addresses that are remembered as not banned: 100 bytes each. */
const passedSize = 65_536;
/** nft takes numbers of at most eight digits in a time. */
const longestSeconds = 99_999_999;

export interface Listed {
  readonly list: ListName;
  readonly prefix: Prefix;
}

export interface Element extends Listed {
  /** Milliseconds until the end. Infinity: permanently. 0 or less: it is deleted. */
  readonly leftMs: number;
}

/** Where a service listens. */
export interface GuardedPort {
  readonly service: string;
  readonly host: string;
  readonly port: number;
  /** Whether the service holds refused connections, which it must accept for that. */
  readonly isTarpit: boolean;
  /** Trusted proxies: the kernel cannot read the PROXY header that has the address of their client. */
  readonly proxies: readonly Prefix[];
}

export interface TableRules {
  readonly scope: Daemon['bans']['scope'];
  /** See `ownerOf`. */
  readonly owner: string;
  readonly exempt: readonly Prefix[];
  readonly ports: readonly GuardedPort[];
}

/** The name of the chain by which a daemon recognizes its table. Only one daemon uses a data folder at a time. */
export const ownerOf = (dataDir: string): string =>
  `bans_${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;

const allOnes = Uint32Array.of(0xffff_ffff, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff);

const maskOf = ({ family, length }: Prefix): string =>
  formatWords(
    family,
    allOnes.map((word, index) => maskedWord(word, index, length)),
    0,
    bitsOf[family],
  );

/** Names an entry of a list, such as `ban 192.0.2.0/24`. */
export const keyOf = ({ list, prefix }: Listed): string => `${list} ${formatPrefix(prefix)}`;

/** `ban_v4_32`, `threatfeed_v6_48`. */
export const setName = ({ list, prefix: { family, length } }: Listed): string => `${list}_v${family}_${length}`;

/** One entry for each set that the elements need. */
export const setsOf = (elements: readonly Listed[]): ReadonlyMap<string, Listed> =>
  new Map(elements.map((element) => [setName(element), element]));

/** The first address of a prefix, because the set has the length. */
const address = (prefix: Prefix): string => formatPrefix({ ...prefix, length: bitsOf[prefix.family] });

/** Names an element in its set, as nft prints it: by its first address. */
export const elementName = ({ prefix }: Listed): string => address(prefix);

function withTimeout({ prefix, leftMs }: Element): string {
  if (leftMs === Number.POSITIVE_INFINITY) return address(prefix);
  return `${address(prefix)} timeout ${Math.min(longestSeconds, Math.max(1, Math.ceil(leftMs / 1000)))}s`;
}

const elementText = (verb: 'add' | 'delete', set: string, texts: readonly string[]): string[] =>
  texts.length === 0 ? [] : [`${verb} element ${table} ${set} { ${texts.join(', ')} }`];

const ruleText = (chain: string, text: string): string => `add rule ${table} ${chain} ${text}`;

/** The set of a list and a length, and the rule that drops its packets. */
export function setText(owner: string, listed: Listed): string[] {
  const { list, prefix } = listed;
  const { family, length } = prefix;
  const source = `${keywords[family]} saddr${length === bitsOf[family] ? '' : ` & ${maskOf(prefix)}`}`;
  return [
    `add set ${table} ${setName(listed)} { type ${types[family]}; flags timeout; counter; size ${setSize}; }`,
    ruleText(owner, `${source} @${setName(listed)} goto refuse_${list}`),
  ];
}

/**
 * Changes elements in one transaction. Adding an element again would keep its end, and deleting one that has ended would
 * fail, so each is added, deleted and added with its new end.
 */
export function changeText(changes: readonly Element[]): string[] {
  const written = [...Map.groupBy(changes, setName)].flatMap(([set, rows]) => {
    const all = rows.map(({ prefix }) => address(prefix));
    const kept = rows.filter(({ leftMs }) => leftMs > 0);
    return [
      ...elementText('add', set, all),
      ...elementText('delete', set, all),
      ...elementText('add', set, kept.map(withTimeout)),
    ];
  });
  return [...written, ...forgetText];
}

/** Accepts packets from networks, although a banned network contains them. */
function acceptText(chain: string, name: string, match: string, prefixes: readonly Prefix[]): string[] {
  return families.flatMap((family) => {
    const set = `${name}_${family}`;
    const texts = prefixes.filter((prefix) => prefix.family === family).map(formatPrefix);
    if (texts.length === 0) return [];
    return [
      `add set ${table} ${set} { type ${types[family]}; flags interval; auto-merge; }`,
      ...elementText('add', set, texts),
      ruleText(chain, `${match} ${keywords[family]} saddr @${set} accept`.trim()),
    ];
  });
}

/** Matches the packets to a port. Names such as localhost, and all addresses, match by the port alone. */
function matchOf({ host, port }: GuardedPort): string {
  const prefix = readPrefix(host);
  const where = prefix && !isUnspecified(prefix) ? `${keywords[prefix.family]} daddr ${host} ` : '';
  return `${where}tcp dport ${port}`;
}

/**
 * Remembers for a second which addresses are not banned, in two small sets: each packet of theirs then costs one look-up
 * instead of one for each length. A change that bans empties these sets. When they are full, packets are looked up.
 */
const passedText = (chain: string, owner: string): string[] => [
  `add chain ${table} check`,
  ruleText('check', `jump ${owner}`),
  ...families.flatMap((family) => [
    `add set ${table} passed_${family} { type ${types[family]}; flags dynamic, timeout; timeout 1s; gc-interval 1s; size ${passedSize}; }`,
    ruleText('check', `add @passed_${family} { ${keywords[family]} saddr }`),
    ruleText(chain, `${keywords[family]} saddr @passed_${family} accept`),
  ]),
];

const forgetText: readonly string[] = families.map((family) => `flush set ${table} passed_${family}`);

/** What happens to packets to the listeners of services. */
function portText(chain: string, { scope, ports }: TableRules): string[] {
  const spared = ports.flatMap((port, index) => {
    const match = matchOf(port);
    if (!port.isTarpit) return acceptText(chain, `proxies_${index}`, match, port.proxies);
    return scope === 'host' ? [ruleText(chain, `${match} accept`)] : [];
  });
  const guarded = ports.filter(({ isTarpit }) => !isTarpit).map((port) => `${matchOf(port)} jump check`);
  const jumps = scope === 'host' ? ['jump check'] : guarded;
  return [...spared, ...jumps.map((text) => ruleText(chain, text))];
}

/** Counts a packet of a list for its service and for all, then drops it. */
const refusalText = (ports: readonly GuardedPort[]): string[] =>
  listNames.flatMap((list) => [
    ...['', ...ports.map((_, index) => `_${index}`)].map((suffix) => `add counter ${table} ${list}${suffix}`),
    `add chain ${table} refuse_${list}`,
    ...ports.map((port, index) => ruleText(`refuse_${list}`, `${matchOf(port)} counter name ${list}_${index}`)),
    ruleText(`refuse_${list}`, `counter name ${list} drop`),
  ]);

/** Packets of the host itself, which no ban may stop: answers to its connections, and how IPv6 hosts find each other. */
const ownTraffic = [
  'ct direction reply accept',
  'iif lo accept',
  'icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, nd-router-advert } accept',
];

/** The whole table in one transaction, which replaces an older one without a gap. */
export function tableText(rules: TableRules, sets: Iterable<Listed>, elements: readonly Element[]): string[] {
  const { scope, owner, exempt, ports } = rules;
  const hook = hooks[scope];
  return [
    `add table ${table}`,
    `delete table ${table}`,
    `add table ${table}`,
    ...refusalText(ports),
    `add chain ${table} ${owner}`,
    `add chain ${table} ${hook} { type filter hook ${hook} priority -150; policy accept; }`,
    ...passedText(hook, owner),
    ...(scope === 'host' ? ownTraffic.map((text) => ruleText(hook, text)) : []),
    ...acceptText(hook, 'exempt', '', exempt),
    ...portText(hook, rules),
    ...[...sets].flatMap((set) => setText(owner, set)),
    ...[...Map.groupBy(elements, setName)].flatMap(([set, rows]) => elementText('add', set, rows.map(withTimeout))),
  ];
}
