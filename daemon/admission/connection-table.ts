/** The open connections by service and client. Limits count them, and a ban of their client cuts them. */
import { contains, type Network, parseNetwork } from '../../contract/values/address.ts';
import { LinkedList } from '../../platform/linked-list.ts';
import { type Client, clientOf } from '../address/client.ts';
import { bitsOf } from '../address/prefix.ts';

export interface OpenConnection {
  readonly client: Client;
  readonly service: string;
  /** Ends the connection. The audit records the reason. */
  readonly cut: (reason: string) => void;
}

interface ServiceConnections {
  readonly byKey: Map<string, LinkedList<OpenConnection>>;
  active: number;
  reserved: number;
}

export class ConnectionTable {
  readonly #services = new Map<string, ServiceConnections>();
  readonly #reservedSlots = new Set<{ readonly cut: () => void }>();
  readonly #waitingForEmpty = new Set<() => void>();
  #onChange = () => {};
  #size = 0;

  /** The number of open connections and reserved slots. */
  readonly size = () => this.#size + this.#reservedSlots.size;
  readonly activeOn = (service: string) => this.#services.get(service)?.active ?? 0;

  /** The number of open connections and reserved slots of a service. */
  readonly occupiedSlotsOn = (name: string) => {
    const service = this.#services.get(name);
    return service ? service.active + service.reserved : 0;
  };

  /** The number of connections of a client, on one service or on all of them. */
  readonly countOf = ({ key }: Client, service?: string) => {
    if (service !== undefined) return this.#services.get(service)?.byKey.get(key)?.size ?? 0;
    let count = 0;
    for (const { byKey } of this.#services.values()) count += byKey.get(key)?.size ?? 0;
    return count;
  };

  readonly all = (): readonly OpenConnection[] => this.#allConnections();

  /** The connections of a client, by its key. */
  readonly ofClient = (key: string): readonly OpenConnection[] =>
    [...this.#services.values()].flatMap(({ byKey }) => [...(byKey.get(key) ?? [])]);

  /** The names of the services that have had connections. */
  readonly serviceNames = (): Iterable<string> => this.#services.keys();

  /** Sets the listener that is called after a connection or reserved slot was added or removed. */
  readonly watch = (changed: () => void) => {
    this.#onChange = changed;
  };

  /** Adds an open connection. Returns a function that removes it. `left`: called after its removal. */
  readonly enter = (connection: OpenConnection, left?: (connection: OpenConnection) => void) => {
    const { key } = connection.client;
    const service = this.#serviceOf(connection.service);
    const open = service.byKey.get(key) ?? new LinkedList<OpenConnection>();
    if (open.size === 0) service.byKey.set(key, open);
    const entry = open.add(connection);
    service.active += 1;
    this.#size += 1;
    this.#onChange();
    return () => {
      if (!open.remove(entry)) return;
      if (open.size === 0) service.byKey.delete(key);
      service.active -= 1;
      this.#size -= 1;
      left?.(connection);
      this.#notify();
    };
  };

  /** Reserves a slot that counts for a service but not for a client. Returns a function that frees the slot. */
  readonly reserve = (cut: () => void, name = '') => {
    const slot = { cut };
    const service = this.#serviceOf(name);
    this.#reservedSlots.add(slot);
    service.reserved += 1;
    this.#onChange();
    return () => {
      if (this.#reservedSlots.delete(slot)) service.reserved -= 1;
      this.#notify();
    };
  };

  /** Cuts the connections that an address or network covers, except those of spared clients. Returns their number. */
  readonly cutCovered = (text: string, reason: string, isSpared: (client: Client) => boolean) => {
    const network = parseNetwork(text);
    if (!network) return 0;
    const covered = this.#candidates(network).filter(
      ({ client }) => contains(network, client.address) && !isSpared(client),
    );
    for (const connection of covered) connection.cut(reason);
    return covered.length;
  };

  readonly cutWhere = (isCut: (ip: string) => boolean, reason: string) => {
    for (const connection of this.#allConnections()) if (isCut(connection.client.ip)) connection.cut(reason);
  };

  readonly cutAll = (reason: string) => {
    for (const connection of this.#allConnections()) connection.cut(reason);
    for (const { cut } of this.#reservedSlots) cut();
  };

  readonly untilEmpty = () =>
    new Promise<void>((resolve) => {
      if (this.size() === 0) resolve();
      else this.#waitingForEmpty.add(resolve);
    });

  /** Returns the entry of a service. Entries are never deleted: reloads add few names of services. */
  #serviceOf(name: string): ServiceConnections {
    const known = this.#services.get(name);
    if (known) return known;
    const service = { byKey: new Map<string, LinkedList<OpenConnection>>(), active: 0, reserved: 0 };
    this.#services.set(name, service);
    return service;
  }

  /** The connections that a network may cover. For a single address, a lookup by key avoids the scan. */
  #candidates({ family, prefix, length }: Network): readonly OpenConnection[] {
    return length < bitsOf[family] ? this.#allConnections() : this.ofClient(clientOf({ family, value: prefix }, 0).key);
  }

  #allConnections(): OpenConnection[] {
    const clients = [...this.#services.values()].flatMap(({ byKey }) => [...byKey.values()]);
    return clients.flatMap((open) => [...open]);
  }

  #notify(): void {
    this.#onChange();
    if (this.size() > 0) return;
    for (const resolve of this.#waitingForEmpty) resolve();
    this.#waitingForEmpty.clear();
  }
}
