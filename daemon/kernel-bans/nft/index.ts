/** Refuses connections with a table of nftables, which ends with this process. Needs CAP_NET_ADMIN. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { bitsOf, formatPrefix, type Prefix } from '../../address/prefix.ts';
import { type GuardedListener, type ListName, listNames, type Mechanism } from '../mechanism.ts';
import { NftCounters } from './counters.ts';
import { check, NftProcess } from './process.ts';
import { listSet, Ruleset } from './ruleset.ts';

/** Elements of one command. */
const pageSize = 500;

/** The first address of a prefix. The set has the length. */
const elementOf = (prefix: Prefix): string => formatPrefix({ ...prefix, length: bitsOf[prefix.family] });

/** The lists of a table. */
class NftLists {
  readonly #ruleset: Ruleset;
  readonly #process: NftProcess;
  readonly #entries: Record<ListName, number> = { ban: 0, threatfeed: 0 };
  readonly #sets = new Set<string>();
  /** Elements by set that are not written yet. */
  #waiting = new Map<string, string[]>();

  constructor(process: NftProcess, ruleset: Ruleset) {
    this.#process = process;
    this.#ruleset = ruleset;
  }

  add = (list: ListName, prefix: Prefix, leftMs: number, wasAdded: boolean): boolean => {
    if (wasAdded) this.remove(list, prefix); // adding an element again would keep its end
    if (this.#entries[list] >= daemonBounds.kernelBanEntries) return false;
    this.#entries[list]++;
    if (this.#waiting.size === 0) setImmediate(() => this.#write());
    const set = this.#setOf(list, prefix);
    const timeout = leftMs === Number.POSITIVE_INFINITY ? '' : ` timeout ${Math.ceil(leftMs)}ms`;
    const waiting = this.#waiting.get(set) ?? [];
    waiting.push(elementOf(prefix) + timeout);
    this.#waiting.set(set, waiting);
    return true;
  };

  remove = (list: ListName, prefix: Prefix): void => {
    this.#write();
    this.#entries[list]--;
    this.#process.run(this.#ruleset.deleteElement(listSet(list, prefix), elementOf(prefix)));
  };

  #setOf(list: ListName, prefix: Prefix): string {
    const set = listSet(list, prefix);
    if (!this.#sets.has(set)) this.#process.run(...this.#ruleset.addLength(list, prefix));
    this.#sets.add(set);
    return set;
  }

  #write(): void {
    for (const [set, elements] of this.#waiting)
      for (let from = 0; from < elements.length; from += pageSize)
        this.#process.run(this.#ruleset.addElements(set, elements.slice(from, from + pageSize)));
    this.#waiting.clear();
  }
}

/** Tables of this process so far. */
let tables = 0;

/** @throws Error when nft is missing, or the kernel refuses the table. `fault`: called for a later failure. */
export function nftMechanism(fault: (message: string) => void): Mechanism {
  const ruleset = new Ruleset(`tcp_guard_${process.pid}_${++tables}`);
  const lengths = listNames.flatMap((list) => ruleset.addLength(list, { family: 4, length: 24 }));
  const failure = check([...ruleset.create(), ...lengths]);
  if (failure !== undefined) throw new Error(failure);
  const nft = new NftProcess(fault);
  nft.run(...ruleset.create());
  const { add, remove } = new NftLists(nft, ruleset);
  const counters = new NftCounters(nft, ruleset);
  let listeners: ReadonlyMap<number, number> = new Map();
  return {
    name: 'nft',
    add,
    remove,
    guard: (guarded: readonly GuardedListener[]) => {
      nft.run(ruleset.services(guarded));
      listeners = new Map(guarded.map(({ number, endpoint }) => [endpoint.port, number]));
      return new Map();
    },
    failure: () => (nft.isRunning ? undefined : 'nft has ended'),
    read: async () => (nft.isRunning ? counters.read(listeners) : []),
    close: async () => {
      const last = nft.isRunning ? counters.read(listeners) : [];
      await nft.close();
      return last;
    },
  };
}
