/** Collects the memory of connections that were closed because they took too much. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';

export class CutMemory {
  /** Bytes of the connections that were cut since the last collection. */
  #bytes = 0;
  #willCollect = false;
  readonly #collect: () => void;

  constructor(collect: () => void) {
    this.#collect = collect;
  }

  /** Call it with the bytes of a connection that is cut. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < daemonBounds.heldGarbage || this.#willCollect) return;
    this.#willCollect = true;
    setImmediate(this.#collectLater);
  }

  /** Runs in a later turn, after the cut connections have closed. */
  #collectLater = (): void => {
    this.#willCollect = false;
    this.#bytes = 0;
    this.#collect();
  };
}
