/** The addresses and networks of all lists, by address. A change of a list is applied in several turns of the event loop. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { NetworkIndex } from '../address/network-index.ts';
import { type Prefix, readPrefix } from '../address/prefix.ts';

/** The names of the lists that have an address or network. */
type Names = readonly string[];

/** Called with an address or network that a list with `action: ban` has now, or no list any more. */
type Listener = (ip: string, isListed: boolean) => void;

/** Entries that are changed in one turn of the event loop. */
const entriesPerTurn = 2000;

export class ListTable {
  readonly #index = new NetworkIndex<Names>();
  readonly #lists = new Map<string, { readonly isBan: boolean; readonly ips: ReadonlySet<string> }>();
  readonly #listeners = new Set<Listener>();

  /** The names of the lists that cover an address, those with `action: ban` or all. */
  covering(ip: string, onlyBans: boolean): Names {
    return this.#index.covering<Names>(ip, (names, found = []) => [...found, ...this.#chosen(names, onlyBans)]) ?? [];
  }

  covers(ip: string): boolean {
    return (
      this.#index.covering<boolean>(ip, (names, isFound) => isFound || this.#chosen(names, true).length > 0) === true
    );
  }

  /** The names of the lists that cover all of an address or network. */
  allCovering(prefix: Prefix): Names {
    return this.#index.allCovering(prefix).flat();
  }

  /** Whether a list with `action: ban` has exactly this address or network. */
  hasExactly(ip: string): boolean {
    const prefix = readPrefix(ip);
    return prefix !== undefined && this.#chosen(this.#index.get(prefix) ?? [], true).length > 0;
  }

  #chosen(names: Names, onlyBans: boolean): Names {
    return onlyBans ? names.filter((name) => this.#lists.get(name)?.isBan) : names;
  }

  /** Iterates over the addresses and networks of lists with `action: ban`. One may be repeated. */
  *banned(): Generator<string> {
    for (const { isBan, ips } of this.#lists.values()) if (isBan) yield* ips;
  }

  entries(name: string): ReadonlySet<string> {
    return this.#lists.get(name)?.ips ?? new Set();
  }

  /** The number of entries that a list can have: all lists together have a bound, too. */
  roomFor(name: string): number {
    let room: number = daemonBounds.listsEntries;
    for (const [other, { ips }] of this.#lists) if (other !== name) room -= ips.size;
    return Math.max(0, Math.min(room, daemonBounds.listEntries));
  }

  names(): readonly string[] {
    return [...this.#lists.keys()];
  }

  /** Returns a function that ends the calls. */
  watch(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls the listeners with every entry of a list again. */
  async repeat(name: string): Promise<void> {
    let done = 0;
    for (const ip of this.entries(name)) {
      if (this.hasExactly(ip)) this.#notify(ip, true);
      if (++done % entriesPerTurn === 0) await nextTurn();
    }
  }

  /** Replaces the entries of a list with a set that the caller no longer changes. Adds before it removes. */
  async replace(name: string, isBan: boolean, entries: ReadonlySet<string>): Promise<void> {
    const known = this.#lists.get(name);
    if (known && known.isBan !== isBan) await this.remove(name);
    const before = this.#lists.get(name);
    this.#lists.set(name, { isBan, ips: entries });
    let done = 0;
    for (const ip of entries) {
      if (!before?.ips.has(ip)) this.#change(ip, (names) => [...names, name]);
      if (++done % entriesPerTurn === 0) await nextTurn();
    }
    for (const ip of before?.ips ?? []) {
      if (!entries.has(ip)) this.#change(ip, (names) => names.filter((one) => one !== name));
      if (++done % entriesPerTurn === 0) await nextTurn();
    }
  }

  async remove(name: string): Promise<void> {
    await this.replace(name, this.#lists.get(name)?.isBan === true, new Set());
    this.#lists.delete(name);
  }

  #change(ip: string, next: (names: Names) => Names): void {
    const prefix = readPrefix(ip);
    if (!prefix) return;
    const names = next(this.#index.get(prefix) ?? []);
    if (names.length > 0) this.#index.set(prefix, names);
    else this.#index.delete(prefix);
    this.#notify(ip, this.#chosen(names, true).length > 0);
  }

  #notify(ip: string, isListed: boolean): void {
    for (const listener of this.#listeners) listener(ip, isListed);
  }
}
