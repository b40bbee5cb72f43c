/**
 * The bytes that relays keep in memory because a receiver does not read, or because Node reads ahead of bytes that wait.
 * Beyond the bound, the relay that has kept bytes longest is closed: a slow reader drains its bytes in seconds, and one
 * that reads nothing never does. Each worker has a part of the bound.
 */
import { totalmem } from 'node:os';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { type Entry, LinkedList } from '../../platform/linked-list.ts';
import type { EndedMemory } from './ended-memory.ts';

/** The bound of one of `workers` processes: a share of the memory of the control group or the host, but not too few. */
export function mostStalledBytes(workers: number): number {
  const { least, memoryShare } = daemonBounds.stalledBytes;
  const memory = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
  return Math.max(least, memoryShare * memory) / workers;
}

export interface StalledRelay {
  /** Closes the connection. */
  readonly cut: (reason: 'memory') => void;
}

/** The bytes of one relay. */
export class StalledAccount {
  bytes = 0;
  entry: Entry<this> | undefined;
  readonly relay: StalledRelay;
  readonly #owner: StalledBytes;

  constructor(owner: StalledBytes, relay: StalledRelay) {
    this.#owner = owner;
    this.relay = relay;
  }

  /** Sets the bytes that the relay keeps. May close this or another connection during the call. */
  set(bytes: number): void {
    if (bytes !== this.bytes) this.#owner.change(this, bytes);
  }
}

export class StalledBytes {
  readonly #mostBytes: number;
  readonly #endedMemory: EndedMemory;
  /** The relays that keep bytes. The first one has kept them longest. */
  readonly #accounts = new LinkedList<StalledAccount>();
  #bytes = 0;

  constructor(endedMemory: EndedMemory, mostBytes: number) {
    this.#endedMemory = endedMemory;
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  open(relay: StalledRelay): StalledAccount {
    return new StalledAccount(this, relay);
  }

  /** Called by an account. */
  change(account: StalledAccount, bytes: number): void {
    this.#bytes += bytes - account.bytes;
    account.bytes = bytes;
    if (bytes > 0) account.entry ??= this.#accounts.add(account);
    else if (account.entry) {
      this.#accounts.remove(account.entry);
      account.entry = undefined;
    }
    while (this.#bytes > this.#mostBytes) this.#cutFirst();
  }

  #cutFirst(): void {
    const account = this.#accounts.first?.value;
    if (!account) return;
    this.#endedMemory.cut(account.bytes);
    account.set(0);
    account.relay.cut('memory');
  }
}
