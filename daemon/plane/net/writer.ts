import type { Writable } from 'node:stream';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';

const noBytes = new Uint8Array(0);

/** When a byte last moved, in the milliseconds of `performance.now()`. */
export interface Activity {
  activeAt: number;
}

interface Source {
  readonly pause: () => void;
  readonly resume: () => void;
}

/**
 * Writes chunks, and stops reading when too much is queued. Streams count only bytes, but each queued chunk costs some
 * hundred bytes more: 64 KiB of single-byte chunks would take 20 MB.
 */
export class Writer {
  readonly #from: Source;
  readonly #to: Pick<Writable, 'write' | 'writableLength' | 'once'>;
  readonly #activity: Activity;
  #queuedChunks = 0;
  #isFull = false;

  constructor(from: Source, to: Pick<Writable, 'write' | 'writableLength' | 'once'>, activity: Activity) {
    this.#from = from;
    this.#to = to;
    this.#activity = activity;
  }

  /** Writes a chunk. Returns false when reading was paused. */
  write(chunk: Uint8Array): boolean {
    this.#queuedChunks = this.#to.writableLength === 0 ? 0 : this.#queuedChunks + 1;
    if (!this.#to.write(chunk)) {
      this.#from.pause();
      // The listener is added on demand, because most connections never need it.
      if (!this.#isFull) this.#to.once('drain', () => this.#onDrain());
      this.#isFull = true;
      return false;
    }
    if (this.#queuedChunks < daemonBounds.relayChunks) return true;
    this.#from.pause();
    this.#to.write(noBytes, () => this.#from.resume());
    return false;
  }

  #onDrain(): void {
    this.#isFull = false;
    this.#activity.activeAt = performance.now();
    this.#from.resume();
  }
}
