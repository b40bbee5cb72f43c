/** The connections that a worker may admit without the coordinator, which counts them as occupied slots. */

import type { Client } from '../../address/client.ts';
import { ConnectionTable, type OpenConnection } from '../../admission/connection-table.ts';
import type { Refusal } from '../../admission/gates/gate.ts';
import type { CapacityMessage } from '../link/messages.ts';

/** Reports a connection to the coordinator. The function that it returns is called when the connection ends. */
type Report = (connection: OpenConnection) => () => void;

/** A connection of which the coordinator has a record. */
interface Reported {
  readonly leave: () => void;
  /** Whether it is still a part of the allowance: the coordinator only counts its client. */
  isPart: boolean;
}

export class Allowance {
  /** All open connections that were admitted here. A ban of their client cuts them. */
  readonly #table = new ConnectionTable();
  /** Most connections are not reported: they need no entry here, and no object besides the one in the table. */
  readonly #reported = new Map<OpenConnection, Reported>();
  /** The number of connections that are a part of the allowance. */
  #usedCount = 0;
  /** The largest number of connections of the allowance. */
  most = 0;
  #services: ReadonlySet<string> = new Set();
  #reachedLimits: { readonly isFull: boolean; readonly services: readonly string[] } = { isFull: false, services: [] };

  apply(message: CapacityMessage): void {
    if (message.kind === 'full') this.#reachedLimits = message;
    else {
      this.most = message.most;
      this.#services = new Set(message.services);
    }
  }

  /** The limit that a service has reached, as the refusal of the capacity gate. Undefined when it has reached none. */
  reachedLimit(service: string): Refusal | undefined {
    if (this.#reachedLimits.isFull) return 'capacity';
    return this.#reachedLimits.services.includes(service) ? 'service_capacity' : undefined;
  }

  isFree(service: string): boolean {
    return this.#usedCount < this.most && this.#services.has(service);
  }

  isSpent(): boolean {
    return this.most > 0 && this.#usedCount >= this.most;
  }

  /** Adds a connection. Returns a function that removes it. */
  enter(connection: OpenConnection): () => void {
    this.#usedCount += 1;
    return this.#table.enter(connection, this.#onLeft);
  }

  readonly #onLeft = (connection: OpenConnection): void => {
    const reported = this.#reported.get(connection);
    if (reported?.isPart ?? true) this.#usedCount -= 1;
    if (reported && this.#reported.delete(connection)) reported.leave();
  };

  /** The number of connections of a client that were admitted here, on one service or on all. */
  countOf(client: Client, service?: string): number {
    return this.#table.countOf(client, service);
  }

  /** Ends the allowance. */
  withdraw(report: Report): void {
    this.most = 0;
    this.#usedCount = 0;
    for (const reported of this.#reported.values()) reported.isPart = false;
    for (const connection of this.#table.all()) this.#report(connection, report, false);
  }

  /** Reports the connections of one client. */
  reportClient(key: string, report: Report): void {
    for (const connection of this.#table.ofClient(key)) this.#report(connection, report, true);
  }

  #report(connection: OpenConnection, report: Report, isPart: boolean): void {
    if (!this.#reported.has(connection)) this.#reported.set(connection, { leave: report(connection), isPart });
  }

  /** Cuts the connections that a ban covers. */
  cutCovered(ip: string, isSpared: (client: Client) => boolean): void {
    this.#table.cutCovered(ip, 'ban', isSpared);
  }

  /** The number of connections without a record in the coordinator, by service. */
  counts(): Readonly<Record<string, number>> {
    const counts = new Map<string, number>(); // a Map, because a service can be named like a member of Object.prototype
    for (const service of this.#table.serviceNames()) counts.set(service, this.#table.activeOn(service));
    for (const { service } of this.#reported.keys()) counts.set(service, (counts.get(service) ?? 0) - 1);
    return Object.fromEntries([...counts].filter(([, count]) => count > 0));
  }
}
