/** One admitted connection, from its first byte to its audit record. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Client } from '../address/client.ts';
import type { OpenConnection } from '../admission/connection-table.ts';
import type { Side } from '../inspectors/inspector.ts';
import type { ChunkVerdict, Connection, Ending, Peeked, PeekOptions } from '../plane/plane.ts';
import { proxyHeader } from '../proxy-protocol/write.ts';
import type { AdmittedConnection, Records } from './admitted.ts';
import { Connecting, type UpstreamOutcome } from './connecting.ts';
import type { SessionContext } from './context.ts';
import { type DataConnection, Passive } from './passive.ts';
import { LimitedRelay, type RelayOwner, type RelayResult } from './relay.ts';
import { endRefusedConnection } from './tarpit.ts';
import { Traffic } from './traffic.ts';

type ServeData<C extends Connection> = (connection: C, data: DataConnection<C>, context: SessionContext<C>) => void;

/** A session. Most callbacks are methods: a closure for each would use memory while the session is open. */
export class Session<C extends Connection> implements OpenConnection, RelayOwner {
  readonly #admitted: AdmittedConnection<C>;
  readonly #context: SessionContext<C>;
  readonly #passive: Passive<C> | undefined;
  readonly #traffic: Traffic;
  readonly #records: Records;
  #connecting: Connecting<C> | undefined;
  #relaying: LimitedRelay<C> | undefined;
  #isGone = false;
  #leave: (() => void) | undefined;

  constructor(admitted: AdmittedConnection<C>, context: SessionContext<C>, serveData: ServeData<C>) {
    const { service, data } = admitted;
    this.#admitted = admitted;
    this.#context = context;
    if (!data && service.passive) {
      const { reserveDescriptor } = context.admission;
      const accept = (connection: C, awaited: DataConnection<C>) => serveData(connection, awaited, context);
      this.#passive = new Passive({
        control: admitted,
        rules: service.passive,
        ports: context.dataPorts,
        reserveDescriptor,
        accept,
      });
    }
    this.#traffic = new Traffic(admitted, context, this, this.#passive?.open);
    this.#records = this.#traffic.records;
  }

  get client(): Client {
    return this.#admitted.client;
  }

  get service(): string {
    return this.#admitted.service.name;
  }

  start(): void {
    const { connection, enter } = this.#admitted;
    this.#leave = enter(this);
    this.#context.endedMemory.opened();
    connection.onGone(() => {
      this.#isGone = true;
      this.#passive?.close();
      this.#connecting?.abandon();
      if (this.#relaying) return; // a relay frees the slot when its upstream has ended, too
      this.#release();
      this.#traffic.close();
    });
    const { isEnough } = this.#traffic;
    if (isEnough) this.#awaitFirst(isEnough);
    else this.#connectInspected();
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#admitted.connection.end('reset');
      this.#traffic.fault(error);
    }
  }

  #release(): void {
    this.#leave?.();
    this.#context.endedMemory.ended();
  }

  #awaitFirst(isEnough: PeekOptions['isEnough']): void {
    const { connection, service } = this.#admitted;
    const options: PeekOptions = {
      limit: daemonBounds.firstBytes,
      timeoutMs: service.firstByteMs,
      isEnough: (bytes, checkedLength) => {
        this.#traffic.account();
        return this.#records.cutReason === undefined && isEnough(bytes, checkedLength);
      },
    };
    void connection.peek(options).then((peeked) => this.#attempt(() => this.#onFirst(peeked)));
  }

  #onFirst({ why, bytes }: Peeked): void {
    if (this.#isGone || this.#records.cutReason !== undefined || why === 'lost') this.#endSilent();
    else if (why === 'timeout') this.#refuse('first_byte_timeout');
    else if (bytes.length === 0) this.#endSilent();
    else this.#connectInspected();
  }

  #connectInspected(): void {
    if (this.#passesInspection()) this.#connect();
  }

  #passesInspection(): boolean {
    const reason = this.#traffic.inspectPeeked();
    if (reason !== undefined) this.#refuse(reason);
    return reason === undefined;
  }

  /** Handles a client that closed, or was cut, before the relay started. */
  #endSilent(): void {
    this.#admitted.connection.end('close');
    this.#records.ended('closed_early');
  }

  #refuse(reason: string): void {
    const { connection, client } = this.#admitted;
    endRefusedConnection(connection, client, this.#admitted, this.#context.tarpit);
    this.#records.blocked(reason);
  }

  #connect(): void {
    const { connection, service } = this.#admitted;
    this.#connecting = new Connecting(
      this.#context,
      connection,
      service.upstream,
      (outcome) => this.#attempt(() => this.#onConnected(outcome)),
      () => this.#traffic.account(),
    );
    this.#connecting.start(service.connectMs);
  }

  #onConnected(outcome: UpstreamOutcome<C>): void {
    this.#connecting = undefined;
    const { connection, counts } = this.#admitted;
    if (this.#isGone || (!outcome.ok && outcome.why === 'gone')) {
      if (outcome.ok) outcome.connection.end('close');
      this.#endSilent();
      return;
    }
    if (!this.#passesInspection()) {
      if (outcome.ok) outcome.connection.end('reset');
      return;
    }
    counts.allowed += 1;
    if (outcome.ok) this.#relay(outcome.connection);
    else {
      connection.end('reset'); // after a regular close, the client would assume a server that sent nothing
      this.#records.allowed(`upstream_${outcome.why}`);
    }
  }

  #relay(upstream: C): void {
    const { connection, client, service, data } = this.#admitted;
    const header = data ? undefined : proxyHeader(service.config.proxy_protocol.send, client, connection);
    if (header) upstream.write(header);
    this.#passive?.setUpstream(upstream);
    this.#relaying = new LimitedRelay(this.#context.plane, {
      client: connection,
      upstream,
      limits: service,
      stalledBytes: this.#context.stalledBytes,
      activeElsewhereAt: this.#passive?.activeAt,
      passedBytes: this.#traffic.passedBytes,
      inspect: this.#traffic.isDone() ? undefined : (side, chunk) => this.#inspect(side, chunk),
      owner: this,
    });
    this.#traffic.start(this.#relaying, (reason) => this.#endInspected(reason));
  }

  #inspect(side: Side, chunk: Uint8Array): ChunkVerdict {
    const verdict = this.#traffic.inspect(side, chunk);
    if (typeof verdict === 'string') this.#endInspected(verdict);
    return typeof verdict === 'string' || this.#records.cutReason !== undefined ? 'stop' : verdict;
  }

  #endInspected(reason: string): void {
    this.cut(reason, this.#admitted.service.config.response.mode === 'reject' ? 'reset' : 'close');
  }

  ended({ reason }: RelayResult): void {
    this.#release();
    this.#traffic.ended(reason);
  }

  cut(reason: string, client: Ending = 'reset'): void {
    this.#records.cutReason ??= reason;
    if (this.#relaying) this.#relaying.cut(reason, client);
    else this.#admitted.connection.end('reset');
  }
}
