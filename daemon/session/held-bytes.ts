/**
 * The bytes that clients make this process hold: first bytes, unfinished messages, bytes that wait, and commands without
 * a reply. Beyond a bound, the connection that holds most is closed: of the client, or of the client that holds most. Of
 * connections with about the same bytes, it is the one that has held them longest, because honest ones hold them for
 * milliseconds. Each worker has the whole bound, as it has its own memory.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { type Entry, LinkedList } from '../../platform/linked-list.ts';
import type { Client } from '../address/client.ts';
import type { EndedMemory } from './ended-memory.ts';

interface Ranked {
  bytes: number;
  entry: Entry<this> | undefined;
}

/** 0 for no bytes, otherwise the number of bits. Members of one rank hold the same bytes up to a factor of two. */
const rankOf = (bytes: number): number => (bytes <= 0 ? 0 : Math.floor(Math.log2(bytes)) + 1);

/** Members by rank, which finds a largest one without a search of all. A member without bytes is absent. */
class Ranking<Member extends Ranked> {
  readonly #ranks: (LinkedList<Member> | undefined)[] = [];

  update(member: Member, bytes: number): void {
    const rank = rankOf(bytes);
    const before = rankOf(member.bytes);
    member.bytes = bytes;
    if (rank === before) return;
    if (member.entry) this.#ranks[before]?.remove(member.entry);
    member.entry = rank === 0 ? undefined : this.#listOf(rank).add(member);
  }

  #listOf(rank: number): LinkedList<Member> {
    const list = this.#ranks[rank] ?? new LinkedList<Member>();
    this.#ranks[rank] = list;
    return list;
  }

  get largest(): Member | undefined {
    return this.#ranks.findLast((list) => list !== undefined && list.size > 0)?.first?.value;
  }
}

class HeldClient implements Ranked {
  bytes = 0;
  entry: Entry<this> | undefined;
  readonly key: string;
  readonly accounts = new Ranking<HeldAccount>();

  constructor(key: string) {
    this.key = key;
  }
}

type Bounds = { readonly [Name in keyof typeof daemonBounds.heldBytes]: number };

export interface Holder {
  readonly client: Pick<Client, 'key'>;
  /** Closes the connection. The reason is `memory_per_ip` or `memory`. */
  readonly cut: (reason: string) => void;
}

/** The held bytes of one connection. */
export class HeldAccount implements Ranked {
  bytes = 0;
  entry: Entry<this> | undefined;
  readonly #owner: HeldBytes;
  readonly #connection: Holder;
  #isClosed = false;

  constructor(owner: HeldBytes, connection: Holder) {
    this.#owner = owner;
    this.#connection = connection;
  }

  get key(): string {
    return this.#connection.client.key;
  }

  /** Sets the bytes that the connection holds. May close this or another connection during the call. */
  set(bytes: number): void {
    if (bytes !== this.bytes && !this.#isClosed) this.#owner.change(this, bytes);
  }

  /** Frees all bytes. Later calls of `set` have no effect. */
  close(): void {
    this.set(0);
    this.#isClosed = true;
  }

  cut(reason: string): void {
    this.close();
    this.#connection.cut(reason);
  }
}

export class HeldBytes {
  #bounds: Bounds;
  readonly #clients = new Map<string, HeldClient>();
  readonly #ranking = new Ranking<HeldClient>();
  #bytes = 0;
  #bodyBytes = 0;
  readonly #endedMemory: EndedMemory;

  constructor(endedMemory: EndedMemory, bounds: Bounds = daemonBounds.heldBytes) {
    this.#endedMemory = endedMemory;
    this.#bounds = bounds;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** `bodyBytes`: the bytes of a body that the policy of the service inspects. They raise the bounds. */
  open(connection: Holder, bodyBytes = 0): HeldAccount {
    if (bodyBytes > this.#bodyBytes) this.#raise(bodyBytes);
    return new HeldAccount(this, connection);
  }

  #raise(bodyBytes: number): void {
    const { process, client } = this.#bounds;
    const { heldBodies } = daemonBounds;
    this.#bodyBytes = bodyBytes;
    this.#bounds = {
      process: Math.max(process, heldBodies.process * bodyBytes),
      client: Math.max(client, heldBodies.client * bodyBytes),
    };
  }

  /** Called by an account. */
  change(account: HeldAccount, bytes: number): void {
    const added = bytes - account.bytes;
    const client = this.#clientOf(account.key);
    client.accounts.update(account, bytes);
    this.#ranking.update(client, client.bytes + added);
    this.#bytes += added;
    if (client.bytes === 0) this.#clients.delete(client.key);
    if (added > 0) this.#enforce(client);
  }

  #clientOf(key: string): HeldClient {
    const client = this.#clients.get(key) ?? new HeldClient(key);
    if (client.bytes === 0) this.#clients.set(key, client);
    return client;
  }

  #enforce(client: HeldClient): void {
    while (client.bytes > this.#bounds.client) this.#cutLargest(client, 'memory_per_ip');
    while (this.#bytes > this.#bounds.process) this.#cutLargest(this.#ranking.largest, 'memory');
  }

  #cutLargest(client: HeldClient | undefined, reason: string): void {
    const largest = client?.accounts.largest;
    if (!largest) return;
    this.#endedMemory.cut(largest.bytes);
    largest.cut(reason);
  }
}
