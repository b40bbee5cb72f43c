/**
 * Commands of nft(8) for one table: sets for the lists, chains for the services, and counters. Each list has one set for each length of
 * prefix in use, because networks of different lengths overlap, which the intervals of one set may not.
 */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { bitsOf, type Family, formatPrefix, formatWords, masked, type Prefix } from '../../address/prefix.ts';
import { type GuardedListener, type ListName, listNames, type RefusalReason, refusalReasons } from '../mechanism.ts';

const families = [4, 6] as const;
const keywords = { 4: 'ip', 6: 'ip6' } as const;
const types = { 4: 'ipv4_addr', 6: 'ipv6_addr' } as const;
/** How long a client is counted after its last packet: many times as long as between two readings. */
const countedFor = '60s';
/** Before rules of administrators, which have priority 0: dropped packets cost least. */
const priority = -10;

const allOnes = Uint32Array.of(0xffff_ffff, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff);

const maskOf = (family: Family, length: number): string =>
  formatWords(
    family,
    allOnes.map((word, index) => masked(word, index, length)),
    0,
    bitsOf[family],
  );

/** The source address of a packet, without the bits after a prefix. */
const sourceOf = (family: Family, length: number): string =>
  `${keywords[family]} saddr${length === bitsOf[family] ? '' : ` & ${maskOf(family, length)}`}`;

export const countSet = (reason: RefusalReason, family: Family): string => `counts_${reason}_${family}`;
export const totalSet = (reason: RefusalReason): string => `totals_${reason}`;
/** The set of a list for prefixes of one length. */
export const listSet = (list: ListName, { family, length }: Pick<Prefix, 'family' | 'length'>): string =>
  `${list}_${family}_${length}`;

export class Ruleset {
  readonly #table: string;

  constructor(name: string) {
    this.#table = `inet ${name}`;
  }

  #set(name: string, definition: string): string {
    return `add set ${this.#table} ${name} { ${definition} }`;
  }

  #rule(chain: string, text: string): string {
    return `add rule ${this.#table} ${chain} ${text}`;
  }

  /** The table belongs to the process that adds it and ends with it (`owner`). */
  create(): string[] {
    const table = this.#table;
    return [
      `add table ${table} { flags owner; }`,
      ...['services', ...listNames].map((chain) => `add chain ${table} ${chain}`),
      ...refusalReasons.flatMap((reason) => this.#drop(reason)),
      `add chain ${table} input { type filter hook input priority ${priority}; policy accept; }`,
      this.#rule('input', 'tcp flags & (syn | ack) == syn jump services'),
    ];
  }

  /** A chain that counts a packet by port, and by client while there is room, and drops it. */
  #drop(reason: RefusalReason): string[] {
    const chain = `drop_${reason}`;
    const size = `size ${daemonBounds.kernelBanCounts}; counter;`;
    return [
      `add chain ${this.#table} ${chain}`,
      this.#set(totalSet(reason), `type inet_service; flags dynamic; ${size}`),
      this.#rule(chain, `update @${totalSet(reason)} { tcp dport counter }`),
      ...families.flatMap((family) => {
        const set = countSet(reason, family);
        const key = `${types[family]} . inet_service`;
        return [
          this.#set(set, `type ${key}; flags dynamic,timeout; timeout ${countedFor}; ${size}`),
          this.#rule(chain, `update @${set} { ${keywords[family]} saddr . tcp dport counter }`),
        ];
      }),
      this.#rule(chain, 'drop'),
    ];
  }

  /** A set for prefixes of one length. */
  addLength(list: ListName, prefix: Pick<Prefix, 'family' | 'length'>): string[] {
    const set = listSet(list, prefix);
    const { family, length } = prefix;
    return [
      this.#set(set, `type ${types[family]}; flags timeout; size ${daemonBounds.kernelBanEntries};`),
      this.#rule(list, `${sourceOf(family, length)} @${set} goto drop_${list}`),
    ];
  }

  addElements(set: string, elements: readonly string[]): string {
    return `add element ${this.#table} ${set} { ${elements.join(', ')} }`;
  }

  deleteElement(set: string, element: string): string {
    return `delete element ${this.#table} ${set} { ${element} }`;
  }

  /** Replaces the rules of all services, in one transaction. */
  services(listeners: readonly GuardedListener[]): string {
    const commands = listeners.flatMap((listener) => this.#service(listener));
    return [`flush chain ${this.#table} services`, ...commands].join('; ');
  }

  #service({ number, endpoint: { host, port }, lists, passed, denied }: GuardedListener): string[] {
    const chain = `service_${number}`;
    const isIpv6 = host.includes(':');
    const destination = host === '' || host === 'localhost' ? '' : `${keywords[isIpv6 ? 6 : 4]} daddr ${host} `;
    return [
      `add chain ${this.#table} ${chain}`,
      `flush chain ${this.#table} ${chain}`,
      ...this.#fixed(chain, 'passed', passed, 'return'),
      ...lists.map((list) => this.#rule(chain, `jump ${list}`)),
      ...this.#fixed(chain, 'denied', denied, 'goto drop_ip_filter'),
      this.#rule('services', `${destination}tcp dport ${port} goto ${chain}`),
    ];
  }

  /** A rule for the networks of the configuration. */
  #fixed(chain: string, name: string, prefixes: readonly Prefix[], verdict: string): string[] {
    return families.flatMap((family) => {
      const texts = prefixes.filter((prefix) => prefix.family === family).map(formatPrefix);
      if (texts.length === 0) return [];
      const set = `${chain}_${name}_${family}`;
      return [
        this.#set(set, `type ${types[family]}; flags interval; auto-merge;`),
        `flush set ${this.#table} ${set}`,
        this.addElements(set, texts),
        this.#rule(chain, `${keywords[family]} saddr @${set} ${verdict}`),
      ];
    });
  }

  list(set: string): string {
    return `list set ${this.#table} ${set}`;
  }
}
