/**
 * Packets that the firewall dropped, by ban. They are read set by set, at most once in `nftCountMs`, and only when
 * bans are listed: nft reads all elements of a set, also to print a few of them. 100,000 elements take it 1.7 s of processor
 * time and 85 MB; as JSON they take 190 MB.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { formatPrefix, readPrefix } from '../address/prefix.ts';
import { nft } from './nft.ts';
import { elementName, type Listed, setName, table } from './ruleset.ts';

interface Count {
  /** Packets since the ban is known. */
  readonly total: number;
  /** The counter in the kernel, which starts again at 0 when the element is written again. */
  readonly counter: number;
}

type Counts = Map<string, Count>;

/** An element with its counter, which older versions of nft print before the end. */
const elementForm = /(?:^|[{,])\s*([0-9a-f.:]+) [^,]*?counter packets (\d+)/g;

/** Characters of an element at most, twice over. What a faulty nft prints without a comma is dropped beyond it. */
const mostElement = 1000;

/** Calls back with each address that has or had packets, from pieces of the output of nft. */
function createReader(
  last: Counts,
  found: (address: string, packets: number) => void,
): (piece: string, isLast?: boolean) => void {
  let rest = '';
  return (piece, isLast = false) => {
    rest += piece;
    const end = isLast ? rest.length : rest.lastIndexOf(',') + 1;
    for (const [, text = '', packets] of rest.slice(0, end).matchAll(elementForm)) {
      const prefix = packets === '0' && !last.has(text) ? undefined : readPrefix(text);
      if (prefix) found(formatPrefix(prefix), Number(packets));
    }
    rest = rest.slice(Math.max(end, rest.length - mostElement));
  };
}

async function readSet(set: string, last: Counts): Promise<Counts> {
  const counts = new Map<string, Count>();
  const read = createReader(last, (address, counter) => {
    const { total, counter: before } = last.get(address) ?? { total: 0, counter: 0 };
    counts.set(address, { total: total + (counter < before ? counter : counter - before), counter });
  });
  await nft(['list', 'set', ...table.split(' '), set], { onOutput: read });
  read('', true);
  return counts;
}

export class PacketCounts {
  /** By set and address, without those that have no packets. */
  readonly #sets = new Map<string, Counts>();
  #reading: Promise<void> = Promise.resolve();
  readonly #readAt = new Map<string, number>();

  /** Returns undefined when the set was not read. */
  of(listed: Listed): number | undefined {
    const counts = this.#sets.get(setName(listed));
    return counts && (counts.get(elementName(listed))?.total ?? 0);
  }

  /** Forgets the packets of an entry that is no longer listed: a later ban of the address has its own. */
  forget(listed: Listed): void {
    this.#sets.get(setName(listed))?.delete(elementName(listed));
  }

  /** Reads these sets, unless they were read a short time ago. A set that nft cannot list keeps its counts. */
  read(sets: readonly string[]): Promise<void> {
    const now = performance.now();
    const isDue = (set: string) => now - (this.#readAt.get(set) ?? Number.NEGATIVE_INFINITY) >= daemonBounds.nftCountMs;
    const due = sets.filter(isDue);
    if (due.length === 0) return this.#reading;
    for (const set of due) this.#readAt.set(set, now);
    this.#reading = this.#reading.then(async () => {
      for (const set of due) {
        const counts = await readSet(set, this.#sets.get(set) ?? new Map()).catch(() => undefined);
        if (counts) this.#sets.set(set, counts);
      }
    });
    return this.#reading;
  }
}
