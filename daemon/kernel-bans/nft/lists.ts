/** The lists of a table. Keeps only the last change of each prefix until nft takes it, so that a slow nft delays changes and queues no commands. */
import { setImmediate as turn } from 'node:timers/promises';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { bitsOf, formatPrefix, type Prefix } from '../../address/prefix.ts';
import type { ListName } from '../mechanism.ts';
import type { NftProcess } from './process.ts';
import { listSet, type Ruleset } from './ruleset.ts';

/** Changes of one command. */
const pageSize = 500;

interface Change {
  readonly set: string;
  readonly element: string;
  /** When the element ends, milliseconds of `performance.now()`. Undefined: it is removed. */
  readonly end: number | undefined;
  /** Whether the table can have the element already. */
  readonly wasWritten: boolean;
}

/** The first address of a prefix. The set has the length. */
const elementOf = (prefix: Prefix): string => formatPrefix({ ...prefix, length: bitsOf[prefix.family] });

/** nft takes numbers of at most eight digits in a time. */
const longest = 99_999_999;

/** A duration for nft, rounded up. One of years becomes three years. */
function durationOf(ms: number): string {
  const whole = Math.max(1, Math.ceil(ms));
  return whole <= longest ? `${whole}ms` : `${Math.min(longest, Math.ceil(whole / 1000))}s`;
}

function withTimeout({ element, end }: Change): string {
  if (end === undefined || end === Number.POSITIVE_INFINITY) return element;
  return `${element} timeout ${durationOf(end - performance.now())}`;
}

export class NftLists {
  readonly #ruleset: Ruleset;
  readonly #process: NftProcess;
  readonly #entries: Record<ListName, number> = { ban: 0, threatfeed: 0 };
  readonly #sets = new Set<string>();
  /** By set and element, in the order of the first change. */
  readonly #changes = new Map<string, Change>();
  #isWriting = false;

  constructor(process: NftProcess, ruleset: Ruleset) {
    this.#process = process;
    this.#ruleset = ruleset;
  }

  add = (list: ListName, prefix: Prefix, leftMs: number, wasAdded: boolean): boolean => {
    if (!wasAdded && this.#entries[list] >= daemonBounds.kernelBanEntries) return false;
    if (!wasAdded) this.#entries[list]++;
    this.#change(list, prefix, performance.now() + leftMs, wasAdded);
    return true;
  };

  remove = (list: ListName, prefix: Prefix): void => {
    this.#entries[list]--;
    this.#change(list, prefix, undefined, true);
  };

  #change(list: ListName, prefix: Prefix, end: number | undefined, wasAdded: boolean): void {
    const set = this.#setOf(list, prefix);
    const element = elementOf(prefix);
    const key = `${set} ${element}`;
    const wasWritten = this.#changes.get(key)?.wasWritten ?? wasAdded;
    if (end === undefined && !wasWritten) this.#changes.delete(key);
    else this.#changes.set(key, { set, element, end, wasWritten });
    void this.#write();
  }

  #setOf(list: ListName, prefix: Prefix): string {
    const set = listSet(list, prefix);
    if (!this.#sets.has(set)) this.#process.run(...this.#ruleset.addLength(list, prefix));
    this.#sets.add(set);
    return set;
  }

  async #write(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    await turn(); // collects what one turn of the event loop changes
    while (this.#changes.size > 0) {
      this.#writePage();
      await this.#process.drained();
    }
    this.#isWriting = false;
  }

  #takePage(): Change[] {
    const page: Change[] = [];
    for (const [key, change] of this.#changes) {
      if (page.length === pageSize) break;
      page.push(change);
      this.#changes.delete(key);
    }
    return page;
  }

  #writePage(): void {
    for (const [set, changes] of Map.groupBy(this.#takePage(), (change) => change.set)) {
      const replaced = changes.filter(({ wasWritten }) => wasWritten).map(({ element }) => element);
      const added = changes.filter(({ end }) => end !== undefined).map(withTimeout);
      this.#process.run(this.#ruleset.changeElements(set, replaced, added));
    }
  }
}
