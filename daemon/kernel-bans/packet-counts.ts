/**
 * Packets that the firewall dropped, by ban. They are read for the bans of a listing only, in parts: listing a set of
 * 100,000 elements takes seconds and 195 MB, and getting one element reads nothing else.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { formatPrefix, readPrefix } from '../address/prefix.ts';
import { nft } from './nft.ts';
import { elementName, getText, keyOf, type Listed } from './ruleset.ts';

interface Count {
  /** Packets since the ban is known. */
  readonly total: number;
  /** The counter in the kernel, which starts again at 0 when the element is written again. */
  readonly counter: number;
  readonly readAt: number;
}

/** A set in the output of nft, and an element with its counter, which older versions print before the end. */
const setForm = /^\tset (\w+) \{([^}]*)\}/gm;
const elementForm = /(?:^|[{,])\s*([0-9a-f.:]+) [^,]*?counter packets (\d+)/g;

/** Counters by the name of the element. */
function countersIn(output: string): ReadonlyMap<string, number> {
  const counters = new Map<string, number>();
  for (const [, set = '', body = ''] of output.matchAll(setForm))
    for (const [, text = '', packets] of body.slice(body.indexOf('{') + 1).matchAll(elementForm)) {
      const prefix = readPrefix(text);
      if (prefix) counters.set(`${set} ${formatPrefix(prefix)}`, Number(packets));
    }
  return counters;
}

export class PacketCounts {
  readonly #counts = new Map<string, Count>();

  of = (listed: Listed): number | undefined => this.#counts.get(keyOf(listed))?.total;

  delete(listed: Listed): void {
    this.#counts.delete(keyOf(listed));
  }

  /** Reads counters that were not read for `nftCountMs`. An element that nft does not find keeps its count. */
  async read(all: readonly Listed[]): Promise<void> {
    const readAt = performance.now();
    const due = all.filter(
      (one) => readAt - (this.#counts.get(keyOf(one))?.readAt ?? Number.NEGATIVE_INFINITY) >= daemonBounds.nftCountMs,
    );
    const parts: (readonly Listed[])[] = [];
    for (let at = 0; at < due.length; at += daemonBounds.nftCountElements)
      parts.push(due.slice(at, at + daemonBounds.nftCountElements));
    let failures = 0;
    for (let part = parts.pop(); part && failures <= daemonBounds.nftFailures; part = parts.pop()) {
      const output = await nft(['-f', '-'], getText(part).join('\n')).catch(() => undefined);
      if (output !== undefined) this.#put(part, countersIn(output), readAt);
      else failures += 1;
      // One element that has ended fails the whole part.
      const half = part.length >> 1;
      if (output === undefined && half > 0) parts.push(part.slice(half), part.slice(0, half));
    }
  }

  #put(part: readonly Listed[], counters: ReadonlyMap<string, number>, readAt: number): void {
    for (const one of part) {
      const counter = counters.get(elementName(one));
      if (counter === undefined) continue;
      const last = this.#counts.get(keyOf(one)) ?? { total: 0, counter: 0 };
      const more = counter >= last.counter ? counter - last.counter : counter;
      this.#counts.set(keyOf(one), { total: last.total + more, counter, readAt });
    }
  }
}
