/** One admitted connection, from its first byte to its audit record. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Entry } from '../../platform/linked-list.ts';
import type { Client } from '../address/client.ts';
import type { OpenConnection } from '../admission/connection-table.ts';
import type { AuditAction } from '../audit/event.ts';
import { inspectors } from '../inspectors/index.ts';
import type { Attempt, Inspector, Side } from '../inspectors/inspector.ts';
import type { EndLogin, LoginOutcome } from '../logins/places.ts';
import type { ChunkVerdict, Connection, Peeked, PeekOptions, RelayEnd } from '../plane/plane.ts';
import { proxyHeader } from '../proxy-protocol/write.ts';
import type { Relayed } from '../stats/counts.ts';
import { type AdmittedConnection, countFailure, recordEvent, requestPlace } from './admitted.ts';
import { Connecting, type UpstreamOutcome } from './connecting.ts';
import type { SessionContext } from './context.ts';
import type { HeldAccount } from './held-bytes.ts';
import { Inspection, type InspectionHandlers, type Login } from './inspection.ts';
import { LoginGate, type LoginGateOwner } from './login-gate.ts';
import { type DataConnection, Passive } from './passive.ts';
import { LimitedRelay, type RelayOwner, type RelayResult } from './relay.ts';
import { endRefusedConnection } from './tarpit.ts';

type ServeData<C extends Connection> = (connection: C, data: DataConnection<C>, context: SessionContext<C>) => void;

const doNothing = (): void => {};

/** How a relay ends when a side ends it, and not tcp-guard. */
const endsOfSides: ReadonlySet<string> = new Set(['closed', 'client_lost', 'upstream_lost'] satisfies RelayEnd[]);

/** A session. Most callbacks are its methods: a closure for each would use memory while the session is open. */
export class Session<C extends Connection> implements InspectionHandlers, LoginGateOwner, OpenConnection, RelayOwner {
  readonly #admitted: AdmittedConnection<C>;
  readonly #context: SessionContext<C>;
  readonly #inspector: Inspector;
  readonly #inspection: Inspection;
  readonly #passive: Passive<C> | undefined;
  readonly #startedAt = performance.now();
  readonly #logins: LoginGate;
  /** The outcome of the last login that the server has answered. */
  #outcome: LoginOutcome | undefined;
  /** The number of peeked bytes that were inspected and do not wait. */
  #passedBytes = 0;
  #connecting: Connecting<C> | undefined;
  #relaying: LimitedRelay<C> | undefined;
  #countEntry: Entry<Relayed> | undefined;
  #cutReason: string | undefined;
  #isGone = false;
  /** Opened with the first held byte: most connections hold none while they are idle. */
  #held: HeldAccount | undefined;
  #leave = doNothing;

  constructor(admitted: AdmittedConnection<C>, context: SessionContext<C>, serveData: ServeData<C>) {
    const { client, service, data } = admitted;
    this.#admitted = admitted;
    this.#context = context;
    this.#inspector = inspectors[data ? 'generic' : service.config.protocol];
    if (!data && service.passive) {
      const { admission, dataPorts: ports } = context;
      const { reserveDescriptor } = admission;
      const accept = (connection: C, awaited: DataConnection<C>) => serveData(connection, awaited, context);
      this.#passive = new Passive({ control: admitted, rules: service.passive, ports, reserveDescriptor, accept });
    }
    const fingerprintKey = context.fingerprintKey();
    const inspected = {
      ...{ service: service.config, client: client.ip, guard: service.guard },
      ...(this.#passive && { openDataPort: this.#passive.open }),
      ...(fingerprintKey && { fingerprintKey }),
    };
    this.#inspection = new Inspection(this.#inspector.open(inspected), this);
    this.#logins = new LoginGate(this.#inspection, this, service.firstByteMs);
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
      if (!this.#relaying) this.#release(); // a relay frees the slot when its upstream has ended, too
    });
    if (this.#inspector.isEnough) this.#awaitFirst();
    else this.#attempt(this.#inspectPeeked, connection.peeked());
  }

  fault(error: unknown): void {
    this.#context.audit.fault(`a connection of ${this.#admitted.service.name} failed: ${(error as Error).stack}`);
  }

  #attempt<Argument>(work: (this: this, argument: Argument) => void, argument: Argument): void {
    try {
      work.call(this, argument);
    } catch (error) {
      this.#admitted.connection.end('reset');
      this.fault(error);
    }
  }

  /**
   * Inspects the bytes that were peeked, then connects to the upstream. When the server sends first, such bytes are
   * those that followed a PROXY header.
   */
  #inspectPeeked(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#checkFirst(bytes)) this.#connect();
  }

  /** Frees what the connection has. Returns the login that the server has not answered: see `LoginGate.close`. */
  #release(): Attempt | undefined {
    this.#leave();
    this.#context.endedMemory.ended();
    this.#held?.close();
    return this.#logins.close();
  }

  /** Accounts for the bytes that the connection holds. May close it. */
  #account(): void {
    const { connection, service } = this.#admitted;
    const peekedBytes = this.#relaying ? 0 : connection.peeked().length; // the relay has taken them
    const bytes = peekedBytes + this.#inspection.heldBytes() + this.#logins.heldBytes;
    if (bytes > 0) this.#held ??= this.#context.heldBytes.open(this, service.guard?.bodyBytes);
    this.#held?.set(bytes);
  }

  #isEnough: PeekOptions['isEnough'] = (bytes, checkedLength) => {
    this.#account();
    return this.#cutReason === undefined && this.#inspector.isEnough?.(bytes, checkedLength) === true;
  };

  #awaitFirst(): void {
    const { connection, service } = this.#admitted;
    const options = { limit: daemonBounds.firstBytes, timeoutMs: service.firstByteMs, isEnough: this.#isEnough };
    void connection.peek(options).then((peeked) => this.#attempt(this.#onFirst, peeked));
  }

  #onFirst({ why, bytes }: Peeked): void {
    if (this.#isGone || this.#cutReason !== undefined || why === 'lost') this.#endSilent();
    else if (why === 'timeout') this.#refuse('first_byte_timeout');
    else if (bytes.length === 0) this.#endSilent();
    else this.#inspectPeeked(bytes);
  }

  #checkFirst(bytes: Uint8Array): boolean {
    const verdict = this.#logins.inspect(bytes);
    this.#account();
    if (typeof verdict === 'string') return this.#refuse(verdict);
    this.#passedBytes += verdict?.passedBytes ?? bytes.length;
    return true;
  }

  /** Handles a client that closed, or was cut, before the relay started. */
  #endSilent(): void {
    this.#admitted.connection.end('close');
    if (this.#cutReason !== undefined) this.#recordBlocked(this.#cutReason);
    else this.#recordAllowed('closed_early');
  }

  #refuse(reason: string): false {
    const { connection, client } = this.#admitted;
    endRefusedConnection(connection, client, this.#admitted, this.#context.tarpit);
    this.#recordBlocked(reason);
    return false;
  }

  #recordBlocked(reason: string, result?: RelayResult): void {
    this.#admitted.counts.blocked += 1;
    this.#record('blocked', reason, result);
  }

  #recordAllowed(reason: string, result?: RelayResult): void {
    this.#record('allowed', this.#admitted.data ? `data_${reason}` : reason, result);
  }

  #connect(): void {
    const { connection, service } = this.#admitted;
    this.#connecting = new Connecting(
      this.#context,
      connection,
      service.upstream,
      (outcome) => this.#attempt(this.#onConnected, outcome),
      () => this.#account(),
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
    if (!this.#checkLateBytes()) {
      if (outcome.ok) outcome.connection.end('reset');
      return;
    }
    counts.allowed += 1;
    if (outcome.ok) this.#relay(outcome.connection);
    else {
      connection.end('reset'); // after a regular close, the client would assume a server that sent nothing
      this.#recordAllowed(`upstream_${outcome.why}`);
    }
  }

  /** Inspects the bytes that wait or arrived during the connect to the upstream. Returns whether they are allowed. */
  #checkLateBytes(): boolean {
    const bytes = this.#admitted.connection.peeked();
    return bytes.length === this.#passedBytes || this.#checkFirst(bytes.subarray(this.#passedBytes));
  }

  #relay(upstream: C): void {
    const { connection, client, service, counts, data } = this.#admitted;
    const header = data ? undefined : proxyHeader(service.config.proxy_protocol.send, client, connection);
    if (header) upstream.write(header);
    this.#passive?.setUpstream(upstream);
    this.#relaying = new LimitedRelay(this.#context.plane, {
      client: connection,
      upstream,
      limits: service,
      stalledBytes: this.#context.stalledBytes,
      activeElsewhereAt: this.#passive?.activeAt,
      passedBytes: this.#passedBytes,
      inspect: this.#inspection.isDone() ? undefined : (side, chunk) => this.#inspect(side, chunk),
      owner: this,
    });
    this.#countEntry = counts.open.add(this.#relaying);
    if (this.#logins.heldBytes > 0) this.#relaying.resume(); // inspects them again: the relay then keeps no second copy
    this.#account();
    this.#inspection.limitAnswer((reason) => this.#endInspected(reason));
  }

  #inspect(side: Side, chunk: Uint8Array): ChunkVerdict {
    const verdict = side === 'client' ? this.#logins.inspect(chunk) : this.#inspectReply(chunk);
    this.#account();
    if (this.#cutReason !== undefined) return 'stop';
    if (typeof verdict !== 'string') return verdict ?? this.#inspection.unseen(side);
    this.#endInspected(verdict);
    return 'stop';
  }

  /** Returns the reason when the connection has to end, or the bytes that replace the chunk. */
  #inspectReply(chunk: Uint8Array): string | { readonly instead: Uint8Array } | undefined {
    this.#outcome = undefined;
    const reason = this.#inspection.inspect('server', chunk);
    if (reason !== undefined) return reason;
    this.#logins.settle(this.#outcome);
    const instead = this.#inspection.drainReplacement();
    return instead && { instead };
  }

  requestPlace(attempt: Attempt, granted: () => void): EndLogin {
    return requestPlace(this.#context, this.#admitted, attempt, granted);
  }

  /** Before the relay starts, waiting bytes are inspected again when the upstream is connected. */
  resume(): void {
    this.#relaying?.resume();
  }

  expire(): void {
    this.cut('login_wait_timeout');
  }

  #endInspected(reason: string): void {
    this.#cutReason = reason;
    this.#relaying?.cut(reason, this.#admitted.service.config.response.mode === 'reject' ? 'reset' : 'close');
  }

  ended(result: RelayResult): void {
    const { counts } = this.#admitted;
    if (this.#countEntry) counts.open.remove(this.#countEntry);
    const unanswered = this.#release();
    counts.bytesIn += result.bytesIn;
    counts.bytesOut += result.bytesOut;
    if (unanswered && this.#cutReason === undefined && endsOfSides.has(result.reason)) this.#failUnanswered();
    this.#inspection.end({ durationMs: this.#age(), bytesIn: result.bytesIn, bytesOut: result.bytesOut });
    if (this.#cutReason === undefined) this.#recordAllowed(result.reason, result);
    else this.#recordBlocked(this.#cutReason, result);
  }

  cut(reason: string): void {
    this.#cutReason ??= reason;
    if (this.#relaying) this.#relaying.cut(reason, 'reset');
    else this.#admitted.connection.end('reset');
  }

  login({ outcome, confidence, fingerprint }: Login): void {
    this.#outcome = outcome;
    if (outcome === 'success') return;
    const reason = confidence === 'probable' ? 'probable_failed_login' : 'failed_login';
    this.#record('auth_failure', reason, undefined, confidence);
    const { service } = this.#admitted;
    if (confidence !== 'probable' || service.config.ssh?.ban_on_probable)
      countFailure(this.#context, this.#admitted, fingerprint);
  }

  /** Counts a login that the server did not answer, because the client had queued further guesses behind it. */
  #failUnanswered(): void {
    this.#record('auth_failure', 'unanswered_login');
    countFailure(this.#context, this.#admitted);
  }

  #age(): number {
    return Math.round(performance.now() - this.#startedAt);
  }

  #record(action: AuditAction, reason: string, result?: RelayResult, confidence?: 'probable'): void {
    const facts = this.#inspection.facts() ?? this.#admitted.data;
    const moved = {
      bytes_in: result?.bytesIn ?? this.#relaying?.bytesIn() ?? 0,
      bytes_out: result?.bytesOut ?? this.#relaying?.bytesOut() ?? 0,
      duration_ms: this.#age(),
    };
    recordEvent(this.#context, this.#admitted, { action, reason, moved, confidence, facts });
  }
}
