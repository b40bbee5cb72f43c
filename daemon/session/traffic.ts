/** The bytes of one connection. They are inspected, wait for the outcome of logins, and count while they are held. */
import { inspectors } from '../inspectors/index.ts';
import type { Attempt, Inspector, InspectorContext, Side } from '../inspectors/inspector.ts';
import type { EndLogin, LoginOutcome } from '../logins/places.ts';
import type { ChunkVerdict, Connection, RelayEnd } from '../plane/plane.ts';
import { type AdmittedConnection, Records } from './admitted.ts';
import type { SharedContext } from './context.ts';
import type { HeldAccount, Holder } from './held-bytes.ts';
import { Inspection, type InspectionHandlers, type Login } from './inspection.ts';
import { LoginGate, type LoginGateOwner } from './login-gate.ts';
import type { LimitedRelay } from './relay.ts';

/** How a relay ends when a side ends it, and not tcp-guard. */
const endsOfSides: ReadonlySet<string> = new Set(['closed', 'client_lost', 'upstream_lost'] satisfies RelayEnd[]);

const doNothing = (): void => {};

export class Traffic implements InspectionHandlers, LoginGateOwner {
  readonly records: Records;
  readonly isEnough: Inspector['isEnough'];
  /** The number of peeked bytes that were inspected and do not wait. */
  passedBytes = 0;
  readonly #admitted: AdmittedConnection<Connection>;
  readonly #context: SharedContext;
  readonly #holder: Holder;
  readonly #inspection: Inspection;
  readonly #logins: LoginGate;
  /** The outcome of the last login that the server has answered. */
  #outcome: LoginOutcome | undefined;
  /** Opened with the first held byte: most connections hold none while they are idle. */
  #held: HeldAccount | undefined;
  #relay: LimitedRelay<Connection> | undefined;

  constructor(
    admitted: AdmittedConnection<Connection>,
    context: SharedContext,
    holder: Holder,
    openDataPort: InspectorContext['openDataPort'],
  ) {
    const { client, service, data } = admitted;
    this.#admitted = admitted;
    this.#context = context;
    this.#holder = holder;
    const inspector = inspectors[data ? 'generic' : service.config.protocol];
    this.isEnough = inspector.isEnough;
    const session = inspector.open({
      service: service.config,
      client: client.ip,
      guard: service.guard,
      openDataPort,
      fingerprintKey: context.fingerprintKey(),
    });
    this.#inspection = new Inspection(session, this);
    this.#logins = new LoginGate(this.#inspection, this, service.firstByteMs);
    this.records = new Records(admitted, context, this.#inspection);
  }

  isDone(): boolean {
    return this.#inspection.isDone();
  }

  /** Accounts for the bytes that the connection holds. May close it. */
  account(): void {
    const { connection, service } = this.#admitted;
    const peekedBytes = this.#relay ? 0 : connection.peeked().length; // the relay has taken them
    const bytes = peekedBytes + this.#inspection.heldBytes() + this.#logins.heldBytes;
    if (bytes > 0) this.#held ??= this.#context.heldBytes.open(this.#holder, service.guard?.bodyBytes);
    this.#held?.set(bytes);
  }

  /**
   * Inspects the peeked bytes that have not passed. Returns the reason when the connection has to end. When the server
   * sends first, such bytes are those that followed a PROXY header, or arrived during the connect to the upstream.
   */
  inspectPeeked(): string | undefined {
    const peeked = this.#admitted.connection.peeked();
    if (peeked.length <= this.passedBytes) return undefined;
    const bytes = peeked.subarray(this.passedBytes);
    const verdict = this.#logins.inspect(bytes);
    this.account();
    if (typeof verdict === 'string') return verdict;
    this.passedBytes += verdict?.passedBytes ?? bytes.length;
    return undefined;
  }

  /** Call it when the relay has started. Calls `late` with the reason when the connection has to end. */
  start(relay: LimitedRelay<Connection>, late: (reason: string) => void): void {
    this.#relay = relay;
    this.records.relayStarted(relay);
    if (this.#logins.heldBytes > 0) relay.resume(); // inspects them again: the relay then keeps no second copy
    this.account();
    this.#inspection.limitAnswer(late);
  }

  /** Inspects a chunk of the relay. Returns the reason when the connection has to end. */
  inspect(side: Side, chunk: Uint8Array): string | Exclude<ChunkVerdict, 'stop'> {
    const verdict = side === 'client' ? this.#logins.inspect(chunk) : this.#inspectReply(chunk);
    this.account();
    return verdict ?? this.#inspection.unseen(side);
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

  /** Frees what the connection holds. Returns the login that the server has not answered: see `LoginGate.close`. */
  close(): Attempt | undefined {
    this.#held?.close();
    return this.#logins.close();
  }

  /** Call it when the relay has ended. */
  ended(reason: string): void {
    const unanswered = this.close();
    if (unanswered && this.records.cutReason === undefined && endsOfSides.has(reason)) this.records.unansweredLogin();
    const shape = this.records.shape();
    this.#inspection.end(shape);
    this.records.ended(reason, shape);
  }

  login(login: Login): void {
    this.#outcome = login.outcome;
    if (login.outcome !== 'success') this.records.failedLogin(login);
  }

  fault(error: unknown): void {
    this.#context.audit.fault(`a connection of ${this.#admitted.service.name} failed: ${(error as Error).stack}`);
  }

  /** Clients that are not banned need no place. */
  requestPlace({ user }: Attempt, granted: () => void): EndLogin {
    const { client, service, rules } = this.#admitted;
    const most = rules.neverBan.has(client.address) ? Number.POSITIVE_INFINITY : service.mostJudgedLogins;
    const login = { client, service: service.name, user, most, windowMs: rules.failureWindowMs };
    if (most < Number.POSITIVE_INFINITY) return this.#context.places.request(login, granted);
    granted();
    return doNothing;
  }

  /** Before the relay starts, waiting bytes are inspected again when the upstream is connected. */
  resume(): void {
    this.#relay?.resume();
  }

  /** The logins of a client without failures are delayed, and not refused. */
  expire(): boolean {
    const { client, rules } = this.#admitted;
    if (!this.#context.places.isFailing(client, rules.failureWindowMs)) return true;
    this.#holder.cut('login_wait_timeout');
    return false;
  }
}
