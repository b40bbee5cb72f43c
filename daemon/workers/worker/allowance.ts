/** The connections that a worker may admit without the coordinator, which counts them as occupied slots. */

import { LinkedList } from '../../../platform/linked-list.ts';
import type { Client } from '../../address/client.ts';
import { ConnectionTable } from '../../admission/connection-table.ts';
import type { Refusal } from '../../admission/gates/gate.ts';
import type { CapacityMessage } from '../link/messages.ts';

interface Connection {
  readonly client: Client;
  readonly service: string;
  readonly cut: (reason: string) => void;
}

/** A connection of the allowance. Its fields are cleared when it ends: see platform/linked-list.ts. */
interface LocalConnection {
  connection: Connection | undefined;
  leave: () => void;
  /** Whether the coordinator has a record of it, because it counts the client. It is still a part of the allowance. */
  isReported: boolean;
}

/** Reports a connection to the coordinator. The function that it returns is called when the connection ends. */
type Report = (connection: Connection) => () => void;

export class Allowance {
  /** The connections of the allowance. A ban of their client cuts them. */
  readonly #table = new ConnectionTable();
  /** Connections that the coordinator counts as slots of this worker. */
  #localConnections = new LinkedList<LocalConnection>();
  #mostConnections = 0;
  #services: ReadonlySet<string> = new Set();
  #reachedLimits: { readonly isFull: boolean; readonly services: readonly string[] } = { isFull: false, services: [] };

  apply(message: CapacityMessage): void {
    if (message.kind === 'full') this.#reachedLimits = message;
    else {
      this.#mostConnections = message.most;
      this.#services = new Set(message.services);
    }
  }

  /** The limit that a service has reached, as the refusal of the capacity gate. Undefined when it has reached none. */
  reachedLimit(service: string): Refusal | undefined {
    if (this.#reachedLimits.isFull) return 'capacity';
    return this.#reachedLimits.services.includes(service) ? 'service_capacity' : undefined;
  }

  isFree(service: string): boolean {
    return this.#localConnections.size < this.#mostConnections && this.#services.has(service);
  }

  isSpent(): boolean {
    return this.#mostConnections > 0 && this.#localConnections.size >= this.#mostConnections;
  }

  /** Adds a connection. Returns a function that removes it. */
  enter(connection: Connection): () => void {
    const own: LocalConnection = { connection, leave: () => {}, isReported: false };
    const remove = this.#table.enter(connection);
    const localConnections = this.#localConnections; // `withdraw` replaces it
    const entry = localConnections.add(own);
    return () => {
      localConnections.remove(entry);
      own.connection = undefined;
      remove();
      own.leave();
      own.leave = () => {};
    };
  }

  /** The number of connections of a client that were admitted here, on one service or on all. */
  countOf(client: Client, service?: string): number {
    return this.#table.countOf(client, service);
  }

  /** Ends the allowance. */
  withdraw(report: Report): void {
    this.#mostConnections = 0;
    for (const own of this.#localConnections) this.#report(own, report);
    this.#localConnections = new LinkedList();
  }

  /** Reports the connections of one client. */
  reportClient(key: string, report: Report): void {
    for (const own of this.#localConnections) if (own.connection?.client.key === key) this.#report(own, report);
  }

  #report(own: LocalConnection, report: Report): void {
    if (!own.connection || own.isReported) return;
    own.isReported = true;
    own.leave = report(own.connection);
  }

  /** Cuts the connections that a ban covers. */
  cutCovered(ip: string, isSpared: (client: Client) => boolean): void {
    this.#table.cutCovered(ip, 'ban', isSpared);
  }

  /** The number of connections without a record in the coordinator, by service. */
  counts(): Readonly<Record<string, number>> {
    const counts = new Map<string, number>(); // a Map, because a service can be named like a member of Object.prototype
    for (const { connection, isReported } of this.#localConnections)
      if (connection && !isReported) counts.set(connection.service, (counts.get(connection.service) ?? 0) + 1);
    return Object.fromEntries(counts);
  }
}
