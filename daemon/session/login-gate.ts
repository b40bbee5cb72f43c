/**
 * The client's bytes behind its logins. They wait until the server has responded, and credentials wait until the client
 * has a place among those that are judged at a time.
 */
import type { Entry } from '../../platform/linked-list.ts';
import { freeBytes } from '../../platform/owned-bytes.ts';
import type { Attempt } from '../inspectors/inspector.ts';
import type { EndLogin, LoginOutcome } from '../logins/places.ts';
import type { HeldChunk } from '../plane/plane.ts';
import { type SharedTimer, sharedTimer, type Waiter } from '../time/shared-timer.ts';
import type { Inspection } from './inspection.ts';

export interface LoginGateOwner {
  /** Requests a place. Calls `granted` when the server may judge the login. */
  readonly requestPlace: (attempt: Attempt, granted: () => void) => EndLogin;
  /** Called when held bytes can be inspected again. */
  readonly resume: () => void;
  /** Called when no place was granted in time. Returns whether the server may judge the login all the same. */
  readonly expire: () => boolean;
}

const noBytes = new Uint8Array(0);

export class LoginGate implements Waiter {
  since = 0;
  readonly #inspection: Inspection;
  readonly #owner: LoginGateOwner;
  readonly #placeMs: number;
  /** The timer of `#timeout`. */
  #timer: SharedTimer | undefined;
  #timeout: Entry<Waiter> | undefined;
  #held: Uint8Array = noBytes;
  /** The number of held bytes at the start that are inspected and only wait for a place. */
  #inspectedBytes = 0;
  #end: EndLogin | undefined;
  /** The login of `#end`. */
  #attempt: Attempt | undefined;
  #isWaiting = false;

  /** `placeMs`: the longest time that a login waits for a place, and then keeps it. */
  constructor(inspection: Inspection, owner: LoginGateOwner, placeMs: number) {
    this.#inspection = inspection;
    this.#owner = owner;
    this.#placeMs = placeMs;
  }

  /** The memory of the bytes that wait, which can be the end of a chunk that is kept: at most one chunk. */
  get heldBytes(): number {
    return this.#held.buffer.byteLength;
  }

  /**
   * Inspects a chunk of the client, with the held bytes first. Returns the reason when the connection has to end,
   * `HeldChunk` when bytes have to wait, and undefined when all bytes pass.
   */
  inspect(chunk: Uint8Array): string | HeldChunk | undefined {
    if (this.#isWaiting) return this.#hold(chunk, 0);
    const inspected = this.#inspectedBytes;
    this.#inspectedBytes = 0;
    if (this.#inspection.isHeld()) return this.#hold(chunk, inspected);
    const reason = this.#inspection.inspect('client', inspected === 0 ? chunk : chunk.subarray(inspected));
    if (reason !== undefined) return reason;
    const passed = chunk.length - this.#inspection.left();
    const attempt = this.#inspection.attempt();
    if (attempt && attempt !== this.#attempt && !this.#acquire(attempt)) {
      this.#inspectedBytes = passed;
      return this.#hold(chunk, 0);
    }
    return this.#hold(chunk, passed);
  }

  /** Keeps the bytes from `passed` on. They are copied once: a plane may use the memory of a chunk again. */
  #hold(chunk: Uint8Array, passedBytes: number): HeldChunk | undefined {
    const isOwn = chunk.buffer === this.#held.buffer;
    this.#held = noBytes;
    if (passedBytes === chunk.length) return undefined;
    const held = chunk.subarray(passedBytes);
    this.#held = isOwn ? held : new Uint8Array(held);
    return { passedBytes, held: this.#held };
  }

  /** Requests a place. Returns whether it was granted at once. */
  #acquire(attempt: Attempt): boolean {
    this.#end?.();
    this.#end = undefined;
    this.#attempt = attempt;
    this.#isWaiting = true;
    this.#start();
    this.#end = this.#owner.requestPlace(attempt, () => {
      const isLate = this.#end !== undefined;
      this.#isWaiting = false;
      if (!isLate) return;
      this.#start();
      this.#owner.resume();
    });
    return !this.#isWaiting;
  }

  #start(): void {
    this.#stop();
    this.since = performance.now();
    this.#timer = sharedTimer(this.#placeMs);
    this.#timeout = this.#timer.add(this);
  }

  #stop(): void {
    if (this.#timeout) this.#timer?.remove(this.#timeout);
    this.#timeout = undefined;
  }

  /** A place is kept for a limited time: a server that does not respond must not stop all logins of the client. */
  onElapsed(): void {
    this.#timeout = undefined;
    const isWaiting = this.#isWaiting;
    if (isWaiting && !this.#owner.expire()) return;
    this.#end?.();
    this.#isWaiting = false;
    if (isWaiting) this.#owner.resume();
  }

  /** Call it after bytes of the server were inspected. `outcome`: of the login that ended, if it is known. */
  settle(outcome: LoginOutcome | undefined): void {
    if (this.#end && this.#inspection.attempt() !== this.#attempt) {
      this.#stop();
      this.#end(outcome);
      this.#end = undefined;
      this.#attempt = undefined;
      this.#isWaiting = false;
    }
    if (this.#held.length > 0 && !this.#isWaiting && !this.#inspection.isHeld()) this.#owner.resume();
  }

  /**
   * Call it once when the connection has ended. Returns the login that the server had not answered, if the client had
   * queued further ones behind it.
   */
  close(): Attempt | undefined {
    this.#stop();
    const isJudged = this.#end !== undefined && !this.#isWaiting;
    this.#end?.();
    this.#isWaiting = false;
    const held = this.#held;
    this.#held = noBytes;
    const unanswered = isJudged ? this.#inspection.unanswered(held) : undefined;
    if (held.length > 0) freeBytes(new Uint8Array(held.buffer));
    return unanswered;
  }
}
