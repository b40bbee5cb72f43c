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
const countedSize = `size ${daemonBounds.kernelBanCounts}; counter;`;
/** Before rules of administrators, which have priority 0: dropped packets cost least. */
const priority = -10;

/** Ended elements stay in a set until the kernel collects them. */
const setSize = 2 * daemonBounds.kernelBanEntries;

/** What a listener accepts at, as the start of a rule, where that is more than one address. A socket of `::` accepts IPv4, too. */
const wildcards: Readonly<Record<string, readonly string[]>> = {
  '': [''],
  '::': [''],
  '0.0.0.0': ['meta nfproto ipv4 '],
  localhost: ['ip daddr 127.0.0.0/8 ', 'ip6 daddr ::1 '],
};

/** Whether a listener accepts at several addresses of this host. */
export const isWildcard = (host: string): boolean => host in wildcards;

const destinationsOf = (host: string): readonly string[] =>
  wildcards[host] ?? [`${keywords[host.includes(':') ? 6 : 4]} daddr ${host} `];

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

/** Packets by port alone. */
export const droppedSet = 'dropped';
const dropChain = (reason: RefusalReason): string => `drop_${reason}`;
export const countSet = (reason: RefusalReason, family: Family): string => `counts_${reason}_${family}`;
export const totalSet = (reason: RefusalReason, family: Family): string => `totals_${reason}_${family}`;
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
      this.#set(droppedSet, `type inet_service; flags dynamic; ${countedSize}`),
      ...refusalReasons.flatMap((reason) => this.#drop(reason)),
      `add chain ${table} input { type filter hook input priority ${priority}; policy accept; }`,
      this.#rule('input', 'tcp flags & (syn | ack) == syn jump services'),
    ];
  }

  /** A chain that counts a packet, by its destination, and by client too while there is room, and drops it. */
  #drop(reason: RefusalReason): string[] {
    const chain = dropChain(reason);
    return [
      `add chain ${this.#table} ${chain}`,
      this.#rule(chain, `update @${droppedSet} { tcp dport counter }`),
      ...families.flatMap((family) => {
        const [total, count] = [totalSet(reason, family), countSet(reason, family)];
        const [type, keyword] = [types[family], keywords[family]];
        const destination = `${keyword} daddr . tcp dport`;
        return [
          this.#set(total, `type ${type} . inet_service; flags dynamic; ${countedSize}`),
          this.#set(
            count,
            `type ${type} . ${type} . inet_service; flags dynamic,timeout; timeout ${countedFor}; ${countedSize}`,
          ),
          this.#rule(chain, `update @${total} { ${destination} counter }`),
          this.#rule(chain, `update @${count} { ${keyword} saddr . ${destination} counter }`),
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
      this.#set(set, `type ${types[family]}; flags timeout; size ${setSize};`),
      this.#rule(list, `${sourceOf(family, length)} @${set} goto ${dropChain(list)}`),
    ];
  }

  #elements(verb: 'add' | 'delete', set: string, elements: readonly string[]): string[] {
    return elements.length === 0 ? [] : [`${verb} element ${this.#table} ${set} { ${elements.join(', ')} }`];
  }

  /**
   * Removes elements, then adds some, in one transaction. Adding an element again would keep its end, and removing one that has
   * ended would fail, so the removed ones are added first.
   */
  changeElements(set: string, removed: readonly string[], added: readonly string[]): string {
    const commands = [
      ...this.#elements('add', set, removed),
      ...this.#elements('delete', set, removed),
      ...this.#elements('add', set, added),
    ];
    return commands.join('; ');
  }

  /** Replaces the rules of all services, in one transaction. */
  services(listeners: readonly GuardedListener[]): string {
    const commands = listeners.flatMap((listener) => this.#service(listener));
    return [`flush chain ${this.#table} services`, ...commands].join('; ');
  }

  #service({ number, endpoint: { host, port }, lists, passed, denied }: GuardedListener): string[] {
    const chain = `service_${number}`;
    return [
      `add chain ${this.#table} ${chain}`,
      `flush chain ${this.#table} ${chain}`,
      ...this.#fixed(chain, 'passed', passed, 'return'),
      ...lists.map((list) => this.#rule(chain, `jump ${list}`)),
      ...this.#fixed(chain, 'denied', denied, `goto ${dropChain('ip_filter')}`),
      ...destinationsOf(host).map((to) => this.#rule('services', `${to}tcp dport ${port} goto ${chain}`)),
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
        ...this.#elements('add', set, texts),
        this.#rule(chain, `${keywords[family]} saddr @${set} ${verdict}`),
      ];
    });
  }

  listSet(set: string): string {
    return `list set ${this.#table} ${set}`;
  }
}
