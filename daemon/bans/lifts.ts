/** When bans were lifted by hand, for what must not count any more that clients did before. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { NetworkIndex } from '../address/network-index.ts';
import { type Prefix, readPrefix } from '../address/prefix.ts';

export class Lifts {
  readonly #times = new NetworkIndex<number>();
  /** In the order of their lift. */
  readonly #prefixes = new Map<string, Prefix>();

  /** `ip`: the address or network of the ban, in canonical text. `at`: milliseconds, of any clock that is also used for `of`. */
  add(ip: string, at: number): void {
    const prefix = readPrefix(ip);
    if (!prefix) return;
    this.#prefixes.delete(ip);
    if (this.#prefixes.size >= daemonBounds.lifts) this.#forgetOldest();
    this.#prefixes.set(ip, prefix);
    this.#times.set(prefix, at);
  }

  #forgetOldest(): void {
    for (const [ip, prefix] of this.#prefixes) {
      this.#prefixes.delete(ip);
      this.#times.delete(prefix);
      return;
    }
  }

  /**
   * When a ban that covered the address was last lifted. Undefined: not recently. A time in the future does not count: the clock was
   * set back since.
   */
  of(ip: string, now: number): number | undefined {
    if (this.#prefixes.size === 0) return undefined;
    return this.#times.covering<number>(ip, (at, best) => (at > now ? best : Math.max(at, best ?? at)));
  }
}
