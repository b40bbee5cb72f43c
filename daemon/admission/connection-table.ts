/** The open connections by service and client: counted for the limits, and cut when their client is banned. */
import { contains, type Network, parseNetwork } from '../../contract/values/address.ts';
import { type Client, clientOf } from '../address/client.ts';

interface OpenConnection {
  readonly client: Client;
  readonly service: string;
  /** Ends the connection. The audit records the reason. */
  readonly cut: (reason: string) => void;
}

/** Connections of a client on a service, as a list: each joins and leaves without a search and without a table. */
interface Open {
  readonly connection: OpenConnection;
  previous: Open | undefined;
  next: Open | undefined;
}

interface ClientConnections {
  count: number;
  newest: Open | undefined;
}

interface ServiceConnections {
  readonly byKey: Map<string, ClientConnections>;
  active: number;
  reserved: number;
}

const widths = { 4: 32, 6: 128 } as const;

/** Oldest first. */
function listed(clients: ClientConnections | undefined): OpenConnection[] {
  const connections: OpenConnection[] = [];
  for (let open = clients?.newest; open; open = open.next) connections.push(open.connection);
  return connections.reverse();
}

function unlink(clients: ClientConnections, open: Open): void {
  if (open.previous) open.previous.next = open.next;
  else clients.newest = open.next;
  if (open.next) open.next.previous = open.previous;
  clients.count -= 1;
}

export class ConnectionTable {
  readonly #services = new Map<string, ServiceConnections>();
  readonly #reserved = new Set<{ readonly cut: () => void }>();
  readonly #waiting = new Set<() => void>();
  #size = 0;

  /** Open connections and reserved slots. */
  readonly size = () => this.#size + this.#reserved.size;
  readonly activeOn = (service: string) => this.#services.get(service)?.active ?? 0;

  /** Open connections and reserved slots of a service. */
  readonly occupiedOn = (name: string) => {
    const service = this.#services.get(name);
    return service ? service.active + service.reserved : 0;
  };

  /** Connections of a client, on one service or on all of them. */
  readonly countOf = ({ key }: Client, service?: string) => {
    if (service !== undefined) return this.#services.get(service)?.byKey.get(key)?.count ?? 0;
    let count = 0;
    for (const { byKey } of this.#services.values()) count += byKey.get(key)?.count ?? 0;
    return count;
  };

  /** Adds an open connection. Returns what removes it. */
  readonly enter = (connection: OpenConnection) => {
    const { key } = connection.client;
    const service = this.#of(connection.service);
    const clients = service.byKey.get(key) ?? { count: 0, newest: undefined };
    if (clients.count === 0) service.byKey.set(key, clients);
    const open: Open = { connection, previous: undefined, next: clients.newest };
    if (clients.newest) clients.newest.previous = open;
    clients.newest = open;
    clients.count += 1;
    service.active += 1;
    this.#size += 1;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      unlink(clients, open);
      if (clients.count === 0) service.byKey.delete(key);
      service.active -= 1;
      this.#size -= 1;
      this.#notifyIfEmpty();
    };
  };

  /** Reserves a slot, of a service if one is given, for a connection whose client is not known yet. Returns what frees it. */
  readonly reserve = (cut: () => void, name = '') => {
    const slot = { cut };
    const service = this.#of(name);
    this.#reserved.add(slot);
    service.reserved += 1;
    return () => {
      if (this.#reserved.delete(slot)) service.reserved -= 1;
      this.#notifyIfEmpty();
    };
  };

  /** Cuts the connections that an address or network covers. Returns how many. */
  readonly cutCovered = (text: string, reason: string) => {
    const network = parseNetwork(text);
    if (!network) return 0;
    const covered = this.#candidates(network).filter(({ client }) => contains(network, client.address));
    for (const connection of covered) connection.cut(reason);
    return covered.length;
  };

  readonly cutAll = (reason: string) => {
    for (const connection of this.#all()) connection.cut(reason);
    for (const { cut } of this.#reserved) cut();
  };

  /** Resolves when no connection is open and no slot is reserved. */
  readonly empty = () =>
    new Promise<void>((resolve) => {
      if (this.size() === 0) resolve();
      else this.#waiting.add(resolve);
    });

  /** The services of all configurations since the start, which are few. */
  #of(name: string): ServiceConnections {
    const known = this.#services.get(name);
    if (known) return known;
    const service = { byKey: new Map<string, ClientConnections>(), active: 0, reserved: 0 };
    this.#services.set(name, service);
    return service;
  }

  /** A lookup by key finds the connections of one address without a scan. */
  #candidates({ family, prefix, length }: Network): OpenConnection[] {
    if (length < widths[family]) return this.#all();
    const { key } = clientOf({ family, value: prefix }, 0);
    return [...this.#services.values()].flatMap(({ byKey }) => listed(byKey.get(key)));
  }

  #all(): OpenConnection[] {
    const clients = [...this.#services.values()].flatMap(({ byKey }) => [...byKey.values()]);
    return clients.flatMap(listed);
  }

  #notifyIfEmpty(): void {
    if (this.size() > 0) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
