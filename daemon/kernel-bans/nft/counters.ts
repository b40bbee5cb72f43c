/** Counts of dropped packets, as differences between two readings. */
import { type Family, formatPrefix, type Prefix, readPrefix } from '../../address/prefix.ts';
import { type GuardedListener, type RefusalReason, type Refused, refusalReasons } from '../mechanism.ts';
import type { Elements, NftProcess } from './process.ts';
import { countSet, droppedSet, isWildcard, type Ruleset, totalSet } from './ruleset.ts';

/** A counted element: of an address and port of this host, and of a client. */
interface Counted {
  readonly elem: {
    readonly val: { readonly concat: readonly [...client: readonly string[], address: string, port: number] };
    readonly counter: { readonly packets: number };
  };
}

interface Added {
  readonly client: Prefix | undefined;
  readonly listener: number;
  readonly count: number;
}

const families: readonly Family[] = [4, 6];
const kinds = refusalReasons.flatMap((reason) => families.map((family) => ({ reason, family })));
/** Totals come first, so that a packet between two sets is not taken for one without a client. */
const sets = [totalSet, countSet].flatMap((name) => kinds.map(({ reason, family }) => name(reason, family)));

const canonical = (address: string): string => {
  const prefix = readPrefix(address);
  return prefix ? formatPrefix(prefix) : address;
};

export class NftCounters {
  readonly #process: Pick<NftProcess, 'ask'>;
  readonly #ruleset: Ruleset;
  /** The previous reading of packets by port. */
  #dropped = '[]';
  /** Clients are counted until the kernel forgets them, so that a new count is not taken for the previous one. */
  #hasClients = false;
  /** The previous reading of each set, by element. */
  readonly #before = new Map<string, ReadonlyMap<string, number>>();
  /** Packets by reason and listener that were counted for the listener and for no client, or negative: the other way round. */
  readonly #uncounted = new Map<string, number>();

  constructor(process: Pick<NftProcess, 'ask'>, ruleset: Ruleset) {
    this.#process = process;
    this.#ruleset = ruleset;
  }

  #list = (set: string): string => this.#ruleset.listSet(set);

  /** One command that is repeated, because nft keeps every other one in memory. */
  async #isChanged(): Promise<boolean> {
    const found = await this.#process.ask([droppedSet], this.#list);
    const dropped = JSON.stringify(found.get(droppedSet));
    const isChanged = dropped !== this.#dropped;
    this.#dropped = dropped;
    return isChanged;
  }

  async read(listeners: readonly GuardedListener[]): Promise<Refused[]> {
    if (!(await this.#isChanged()) && !this.#hasClients) return [];
    const elements = await this.#process.ask(sets, this.#list);
    this.#hasClients = kinds.some(({ reason, family }) => elements.get(countSet(reason, family))?.length);
    const numbers = new Map(
      listeners.map(({ number, endpoint: { host, port } }) => [`${isWildcard(host) ? '' : host} ${port}`, number]),
    );
    const numberOf = (address: string, port: number) =>
      numbers.get(`${canonical(address)} ${port}`) ?? numbers.get(` ${port}`);
    return refusalReasons.flatMap((reason) => this.#readReason(reason, elements, numberOf));
  }

  #readReason(
    reason: RefusalReason,
    elements: Elements,
    numberOf: (address: string, port: number) => number | undefined,
  ): Refused[] {
    const added = (name: typeof totalSet) =>
      families.flatMap((family) => this.#added(name(reason, family), elements, numberOf));
    const [totals, counted] = [added(totalSet), added(countSet)];
    for (const { listener, count } of totals) this.#owe(reason, listener, count);
    for (const { listener, count } of counted) this.#owe(reason, listener, -count);
    const rest = [...new Set(totals.map(({ listener }) => listener))].map((listener) => ({
      ...{ client: undefined, listener, count: this.#settle(reason, listener) },
    }));
    return [...counted, ...rest].filter(({ count }) => count > 0).map((one) => ({ ...one, reason }));
  }

  #owe(reason: RefusalReason, listener: number, count: number): void {
    const key = `${reason} ${listener}`;
    this.#uncounted.set(key, (this.#uncounted.get(key) ?? 0) + count);
  }

  /** Packets without a client, once. */
  #settle(reason: RefusalReason, listener: number): number {
    const key = `${reason} ${listener}`;
    const owed = this.#uncounted.get(key) ?? 0;
    if (owed > 0) this.#uncounted.delete(key);
    return owed;
  }

  #added(set: string, elements: Elements, numberOf: (address: string, port: number) => number | undefined): Added[] {
    const before = this.#before.get(set);
    const now = new Map<string, number>();
    const added = ((elements.get(set) ?? []) as readonly Counted[]).flatMap(({ elem: { val, counter } }): Added[] => {
      const key = val.concat.join(' ');
      now.set(key, counter.packets);
      const known = before?.get(key) ?? 0;
      // A count below the previous one is of an element that ended and was added again.
      const count = counter.packets < known ? counter.packets : counter.packets - known;
      const [port, address, client] = val.concat.toReversed() as [number, string, string?];
      const listener = numberOf(address, port);
      if (listener === undefined) return [];
      return [{ client: client === undefined ? undefined : readPrefix(client), listener, count }];
    });
    this.#before.set(set, now);
    return added;
  }
}
