/**
 * What a worker may decide about capacity. The coordinator allows each worker a number of open connections without a
 * request. They count as occupied slots there until it withdraws them, which it does before a limit is reached.
 */

import type { Client } from '../../address/client.ts';
import { ConnectionTable } from '../../admission/connection-table.ts';
import type { Refusal } from '../../admission/gates/gate.ts';
import type { CapacityMessage } from '../link/messages.ts';

interface Connection {
  readonly client: Client;
  readonly service: string;
  readonly cut: (reason: string) => void;
}

/** Emptied when the connection ends: see platform/linked-list.ts. */
interface Own {
  connection: Connection | undefined;
  leave: () => void;
}

export class Allowance {
  /** Connections without a request, and what ends them when their client is banned. */
  readonly #table = new ConnectionTable();
  /** Those that the coordinator does not know. */
  readonly #own = new Set<Own>();
  #most = 0;
  #services: ReadonlySet<string> = new Set();
  #full: { readonly isFull: boolean; readonly services: readonly string[] } = { isFull: false, services: [] };

  take(message: CapacityMessage): void {
    if (message.kind === 'full') this.#full = message;
    else {
      this.#most = message.most;
      this.#services = new Set(message.services);
    }
  }

  /** The limit that is reached, as the capacity gate names it. */
  lack(service: string): Refusal | undefined {
    if (this.#full.isFull) return 'capacity';
    return this.#full.services.includes(service) ? 'service_capacity' : undefined;
  }

  /** Whether a connection of the service needs no request now. */
  isFree(service: string): boolean {
    return this.#own.size < this.#most && this.#services.has(service);
  }

  /** Whether the whole allowance is used. */
  isSpent(): boolean {
    return this.#most > 0 && this.#own.size >= this.#most;
  }

  /** Adds a connection without a request. Returns what removes it. */
  enter(connection: Connection): () => void {
    const own: Own = { connection, leave: () => {} };
    const remove = this.#table.enter(connection);
    this.#own.add(own);
    return () => {
      this.#own.delete(own);
      own.connection = undefined;
      remove();
      own.leave();
      own.leave = () => {};
    };
  }

  /** Ends the allowance. `report` makes the coordinator aware of a connection, and returns what reports its end. */
  withdraw(report: (connection: Connection) => () => void): void {
    this.#most = 0;
    for (const own of this.#own) if (own.connection) own.leave = report(own.connection);
    this.#own.clear();
  }

  /** Ends the connections that a ban covers, except those of spared clients. */
  cutCovered(ip: string, isSpared: (client: Client) => boolean): void {
    this.#table.cutCovered(ip, 'ban', isSpared);
  }

  /** The number of connections that the coordinator does not know, by service. */
  counts(): Readonly<Record<string, number>> {
    const counts = new Map<string, number>(); // a service can have the name of a member of every object
    for (const { connection } of this.#own)
      if (connection) counts.set(connection.service, (counts.get(connection.service) ?? 0) + 1);
    return Object.fromEntries(counts);
  }
}
