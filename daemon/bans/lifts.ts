/** Records manual unbans. Failures from before an unban no longer count against the client. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { NetworkIndex } from '../address/network-index.ts';
import { type Prefix, readPrefix } from '../address/prefix.ts';

export class Lifts {
  readonly #times = new NetworkIndex<number>();
  /** The lifted prefixes, oldest first. */
  readonly #prefixes = new Map<string, Prefix>();

  /** Records the unban of `ip`, which is canonical text, at a time in milliseconds. */
  add(ip: string, at: number): void {
    const prefix = readPrefix(ip);
    if (!prefix) return;
    this.#prefixes.delete(ip);
    const [oldest] = this.#prefixes;
    if (oldest && this.#prefixes.size >= daemonBounds.lifts) {
      this.#prefixes.delete(oldest[0]);
      this.#times.delete(oldest[1]);
    }
    this.#prefixes.set(ip, prefix);
    this.#times.set(prefix, at);
  }

  /** When a ban of the address was last lifted. Skips times in the future, which exist after the clock was set back. */
  lastLiftOf(ip: string, now: number): number | undefined {
    if (this.#prefixes.size === 0) return undefined;
    return this.#times.covering<number>(ip, (at, best) => (at > now ? best : Math.max(at, best ?? at)));
  }
}
