/**
 * Collects the memory of ended connections. V8 would wait until there is three times as much as open connections need.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { bytesOfOldObjects, collectGarbage } from '../plane/v8-flags.ts';

const { connectionHeapBytes, endedBytes, endsBetweenChecks, heldGarbage } = daemonBounds;

export class EndedMemory {
  /** Bytes of the connections that were cut since the last collection. */
  #cutBytes = 0;
  #openCount = 0;
  #endCount = 0;
  /** Old objects that open connections do not explain: the least bytes at a check since the last collection. */
  #leastBytes = Number.POSITIVE_INFINITY;
  #willCollect = false;
  readonly #collect: () => void;
  readonly #bytesOfOldObjects: () => number;

  constructor(collect = collectGarbage, oldBytes = bytesOfOldObjects) {
    this.#collect = collect;
    this.#bytesOfOldObjects = oldBytes;
  }

  /** Call it with the bytes of a connection that is cut, because it took too much. */
  cut(bytes: number): void {
    this.#cutBytes += bytes;
    if (this.#cutBytes >= heldGarbage) this.#collectLater();
  }

  opened(): void {
    this.#openCount += 1;
  }

  ended(): void {
    this.#openCount -= 1;
    this.#endCount += 1;
    if (this.#endCount % endsBetweenChecks > 0) return;
    const bytes = this.#unexplainedBytes();
    this.#leastBytes = Math.min(this.#leastBytes, bytes);
    if (bytes >= this.#leastBytes + endedBytes) this.#collectLater();
  }

  #unexplainedBytes(): number {
    return this.#bytesOfOldObjects() - this.#openCount * connectionHeapBytes;
  }

  /** Collects in a later turn, after the cut connections have closed. */
  #collectLater(): void {
    if (this.#willCollect) return;
    this.#willCollect = true;
    setImmediate(() => {
      this.#willCollect = false;
      this.#cutBytes = 0;
      this.#collect();
      this.#leastBytes = this.#unexplainedBytes();
    });
  }
}
