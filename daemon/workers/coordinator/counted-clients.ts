/**
 * The clients whose connections are all in the table of the coordinator. Workers admit a client that has few of them on
 * their own: see link/client-share.ts. Before its limit can be reached, the workers report its connections and admit none
 * of it, so that the limit stays exact, unless a worker reports later than `workerSettleMs`: its share may come on top. This
 * ends with its last connection.
 */
import type { Client } from '../../address/client.ts';
import type { Served } from '../../admission/admission.ts';
import type { ConnectionTable } from '../../admission/connection-table.ts';
import type { Rules, ServiceRules } from '../../admission/rules.ts';
import { shareOf } from '../link/client-share.ts';
import type { CountedMessage } from '../link/messages.ts';

interface CountedClientsSources {
  readonly connections: Pick<ConnectionTable, 'countOf' | 'all'>;
  /** The number of workers. */
  readonly count: number;
  readonly post: (message: CountedMessage) => void;
  /** Resolves when the workers have handled all messages, or after a timeout. */
  readonly settle: () => Promise<void>;
}

export class CountedClients {
  readonly #sources: CountedClientsSources;
  /** By key. The promise resolves when the workers have reported the connections. Undefined: they have. */
  readonly #clients = new Map<string, Promise<void> | undefined>();
  #rules: Rules | undefined;

  constructor(sources: CountedClientsSources) {
    this.#sources = sources;
  }

  keys(): string[] {
    return [...this.#clients.keys()];
  }

  /** Call it when the table has all open connections, before workers may admit connections under the rules. */
  apply(rules: Rules): void {
    this.#rules = rules;
    for (const { client, service } of this.#sources.connections.all()) this.entered(client, service);
  }

  /**
   * Returns undefined when the table has all connections of the client, or so few that no limit can be reached. Otherwise
   * a promise: call again when the workers have reported the connections.
   */
  awaitReports(client: Client, { service, rules }: Served): Promise<void> | undefined {
    if (this.#canReachLimit(client, service, rules)) this.#count(client);
    return this.#clients.get(client.key);
  }

  /** Call it after a worker has reported a connection, which is in the table now. */
  entered(client: Client, name: string): void {
    const service = this.#rules?.services.get(name);
    if (this.#rules && service && this.#canReachLimit(client, service, this.#rules)) this.#count(client);
  }

  /** Returns a function that removes a connection from the table with `leave`. */
  leaving(client: Client, leave: () => void): () => void {
    return () => {
      leave();
      this.#left(client);
    };
  }

  /** Only clients with a connection in the table are counted: see `#canReachLimit`. */
  #left(client: Client): void {
    const { connections, post } = this.#sources;
    if (connections.countOf(client) > 0 || !this.#clients.delete(client.key)) return;
    post({ kind: 'uncounted', key: client.key });
  }

  #count({ key }: Client): void {
    if (this.#clients.has(key)) return;
    const { post, settle } = this.#sources;
    post({ kind: 'counted', keys: [key] });
    const reported = settle().then(() => {
      if (this.#clients.get(key) === reported) this.#clients.set(key, undefined);
    });
    this.#clients.set(key, reported);
  }

  /** Whether a limit would be reached if each worker had its whole share. */
  #canReachLimit(client: Client, { name, config }: ServiceRules, { config: { global } }: Rules): boolean {
    const { connections, count } = this.#sources;
    const canReach = (limit: number, service?: string) => {
      const share = shareOf(limit, count);
      return limit > 0 && share > 0 && connections.countOf(client, service) + count * share >= limit;
    };
    return canReach(global.max_connections_per_ip) || canReach(config.max_connections_per_ip, name);
  }
}
