/** The open connections by client: counted for the limits, and cut when their client is banned. */
import { contains, type Network, parseNetwork } from '../../contract/values/address.ts';
import { type Client, clientOf } from '../address/client.ts';

interface OpenConnection {
  readonly client: Client;
  readonly service: string;
  /** Ends the connection. The audit records the reason. */
  readonly cut: (reason: string) => void;
}

const widths = { 4: 32, 6: 128 } as const;
const serviceKey = (service: string, key: string) => `${service} ${key}`;

export class ConnectionTable {
  readonly #byKey = new Map<string, Set<OpenConnection>>();
  readonly #byService = new Map<string, number>();
  readonly #active = new Map<string, number>();
  readonly #reserved = new Set<{ readonly cut: () => void }>();
  readonly #reservedOn = new Map<string, number>();
  readonly #waiting = new Set<() => void>();
  #size = 0;

  /** Open connections and reserved slots. */
  readonly size = () => this.#size + this.#reserved.size;
  readonly activeOn = (service: string) => this.#active.get(service) ?? 0;

  /** Open connections and reserved slots of a service. */
  readonly occupiedOn = (service: string) => this.activeOn(service) + (this.#reservedOn.get(service) ?? 0);

  /** Connections of a client, on one service or on all of them. */
  readonly countOf = ({ key }: Client, service?: string) =>
    (service === undefined ? this.#byKey.get(key)?.size : this.#byService.get(serviceKey(service, key))) ?? 0;

  /** Returns what removes the entry. */
  readonly enter = (connection: OpenConnection) => {
    const { key } = connection.client;
    const open = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, open.add(connection));
    this.#add(connection, 1);
    return () => {
      if (!open.delete(connection)) return;
      if (open.size === 0) this.#byKey.delete(key);
      this.#add(connection, -1);
    };
  };

  /** Reserves a slot, of a service if one is given, for a connection whose client is not known yet. Returns what frees it. */
  readonly reserve = (cut: () => void, service = '') => {
    const slot = { cut };
    const count = (change: 1 | -1) => this.#reservedOn.set(service, (this.#reservedOn.get(service) ?? 0) + change);
    this.#reserved.add(slot);
    count(1);
    return () => {
      if (this.#reserved.delete(slot)) count(-1);
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

  /** A lookup by key finds the connections of one address without a scan. */
  #candidates({ family, prefix, length }: Network): OpenConnection[] {
    if (length < widths[family]) return this.#all();
    const { key } = clientOf({ family, value: prefix }, 0);
    return [...(this.#byKey.get(key) ?? [])];
  }

  #all(): OpenConnection[] {
    return [...this.#byKey.values()].flatMap((open) => [...open]);
  }

  #add({ client, service }: OpenConnection, count: 1 | -1): void {
    this.#size += count;
    this.#active.set(service, this.activeOn(service) + count);
    const key = serviceKey(service, client.key);
    const left = (this.#byService.get(key) ?? 0) + count;
    if (left === 0) this.#byService.delete(key);
    else this.#byService.set(key, left);
    this.#notifyIfEmpty();
  }

  #notifyIfEmpty(): void {
    if (this.size() > 0) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
