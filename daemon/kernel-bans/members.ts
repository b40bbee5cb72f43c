/** Remembers which addresses and networks of a list are in the kernel, and which did not fit. */
import type { Prefix } from '../address/prefix.ts';
import { PrefixMap } from '../address/prefix-map.ts';

const leftOutState = 0;
const inKernelState = 1;

export class Members {
  readonly #states = new PrefixMap();
  entries = 0;
  leftOut = 0;

  #count(state: number, change: 1 | -1): void {
    if (state === inKernelState) this.entries += change;
    else if (state === leftOutState) this.leftOut += change;
  }

  put(prefix: Prefix, isInKernel: boolean): void {
    this.#count(this.#states.get(prefix), -1);
    const state = isInKernel ? inKernelState : leftOutState;
    this.#states.set(prefix, state);
    this.#count(state, 1);
  }

  /** Deletes an entry. Returns whether it was in the kernel. */
  delete(prefix: Prefix): boolean {
    const state = this.#states.get(prefix);
    this.#count(state, -1);
    if (state >= 0) this.#states.delete(prefix);
    return state === inKernelState;
  }
}
