/** Counts of dropped packets, as differences between two readings. */
import type { Family } from '../../address/prefix.ts';
import { readPrefix } from '../../address/prefix.ts';
import { type RefusalReason, type Refused, refusalReasons } from '../mechanism.ts';
import type { NftProcess } from './process.ts';
import { countSet, type Ruleset, totalSet } from './ruleset.ts';

/** A counted element: of a port, or of an address and a port. */
interface Counted {
  readonly elem: {
    readonly val: number | { readonly concat: readonly [address: string, port: number] };
    readonly counter: { readonly packets: number };
  };
}

interface Added {
  readonly address: string | undefined;
  readonly port: number;
  readonly count: number;
}

const families: readonly Family[] = [4, 6];

export class NftCounters {
  readonly #process: Pick<NftProcess, 'ask'>;
  readonly #ruleset: Ruleset;
  /** The previous reading of each set, by element. */
  readonly #before = new Map<string, ReadonlyMap<string, number>>();
  /** Packets by reason and port that were counted for the port and for no client, or negative: the other way round. */
  readonly #uncounted = new Map<string, number>();

  constructor(process: Pick<NftProcess, 'ask'>, ruleset: Ruleset) {
    this.#process = process;
    this.#ruleset = ruleset;
  }

  /** `listeners`: numbers of listeners by port. */
  async read(listeners: ReadonlyMap<number, number>): Promise<Refused[]> {
    const readings = refusalReasons.map((reason) => this.#readReason(reason, listeners));
    return (await Promise.all(readings)).flat();
  }

  /** Totals are read first, so that a packet between two readings is not taken for one without a client. */
  async #readReason(reason: RefusalReason, listeners: ReadonlyMap<number, number>): Promise<Refused[]> {
    const [totals, ...clients] = await Promise.all([
      this.#added(totalSet(reason)),
      ...families.map((family) => this.#added(countSet(reason, family))),
    ]);
    const counted = clients.flat();
    for (const { port, count } of totals ?? []) this.#owe(reason, port, count);
    for (const { port, count } of counted) this.#owe(reason, port, -count);
    const rest = (totals ?? []).map(({ port }) => ({ address: undefined, port, count: this.#settle(reason, port) }));
    return [...counted, ...rest].flatMap(({ address, port, count }) => {
      const listener = listeners.get(port);
      const client = address === undefined ? undefined : readPrefix(address);
      return listener === undefined || count <= 0 ? [] : [{ listener, reason, client, count }];
    });
  }

  #owe(reason: RefusalReason, port: number, count: number): void {
    const key = `${reason} ${port}`;
    this.#uncounted.set(key, (this.#uncounted.get(key) ?? 0) + count);
  }

  /** Packets without a client, once. */
  #settle(reason: RefusalReason, port: number): number {
    const key = `${reason} ${port}`;
    const owed = this.#uncounted.get(key) ?? 0;
    if (owed > 0) this.#uncounted.delete(key);
    return owed;
  }

  async #added(set: string): Promise<Added[]> {
    const elements = (await this.#process.ask(set, this.#ruleset.list(set))) as readonly Counted[];
    const before = this.#before.get(set);
    const now = new Map<string, number>();
    const added = elements.map(({ elem: { val, counter } }): Added => {
      const [address, port] = typeof val === 'number' ? [undefined, val] : val.concat;
      const key = `${address} ${port}`;
      now.set(key, counter.packets);
      const known = before?.get(key) ?? 0;
      // A count below the previous one is of an element that ended and was added again.
      return { address, port, count: counter.packets < known ? counter.packets : counter.packets - known };
    });
    this.#before.set(set, now);
    return added;
  }
}
