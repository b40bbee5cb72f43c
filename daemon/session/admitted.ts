/** A connection that was admitted, and what is recorded of it: counts, audit records and failed logins. */
import type { Entry } from '../../platform/linked-list.ts';
import type { Client } from '../address/client.ts';
import type { Served } from '../admission/admission.ts';
import type { ConnectionTable } from '../admission/connection-table.ts';
import type { AuditAction } from '../audit/event.ts';
import type { SessionShape } from '../inspectors/inspector.ts';
import type { Connection } from '../plane/plane.ts';
import type { Relayed } from '../stats/counts.ts';
import { monotonicMs } from '../time/clock.ts';
import type { SharedContext } from './context.ts';
import type { Inspection, Login } from './inspection.ts';
import type { DataConnection } from './passive.ts';

export interface AdmittedConnection<C extends Connection> extends Served {
  readonly connection: C;
  readonly client: Client;
  readonly enter: ConnectionTable['enter'];
  /** The facts of a data connection, which is relayed without inspection. Undefined for other connections. */
  readonly data: DataConnection<C>['facts'] | undefined;
}

export class Records {
  /** Why tcp-guard ends the connection. */
  cutReason: string | undefined;
  #relaying: Entry<Relayed> | undefined;
  readonly #startedAt = Math.floor(monotonicMs());
  readonly #admitted: AdmittedConnection<Connection>;
  readonly #context: Pick<SharedContext, 'failed' | 'record'>;
  readonly #inspection: Pick<Inspection, 'facts'>;

  constructor(
    admitted: AdmittedConnection<Connection>,
    context: Pick<SharedContext, 'failed' | 'record'>,
    inspection: Pick<Inspection, 'facts'>,
  ) {
    this.#admitted = admitted;
    this.#context = context;
    this.#inspection = inspection;
  }

  allowed(reason: string, shape = this.shape()): void {
    this.#record('allowed', this.#admitted.data ? `data_${reason}` : reason, shape);
  }

  blocked(reason: string, shape = this.shape()): void {
    this.#admitted.counts.blocked += 1;
    this.#record('blocked', reason, shape);
  }

  relayStarted(relay: Relayed): void {
    this.#relaying = this.#admitted.counts.open.add(relay);
  }

  /** `reason`: of the end when tcp-guard did not cut the connection. */
  ended(reason: string, shape = this.shape()): void {
    if (this.cutReason === undefined) this.allowed(reason, shape);
    else this.blocked(this.cutReason, shape);
    if (!this.#relaying) return;
    const { counts } = this.#admitted;
    counts.open.remove(this.#relaying);
    counts.bytesIn += shape.bytesIn;
    counts.bytesOut += shape.bytesOut;
  }

  failedLogin({ confidence, fingerprint }: Login): void {
    const reason = confidence === 'probable' ? 'probable_failed_login' : 'failed_login';
    this.#record('auth_failure', reason, this.shape(), confidence);
    if (confidence !== 'probable' || this.#admitted.service.config.ssh?.ban_on_probable)
      this.#countFailure(fingerprint);
  }

  /** Counts a login that the server did not answer, because the client had queued further guesses behind it. */
  unansweredLogin(): void {
    this.#record('auth_failure', 'unanswered_login', this.shape());
    this.#countFailure();
  }

  shape(): SessionShape {
    const relay = this.#relaying?.value;
    const durationMs = Math.floor(monotonicMs()) - this.#startedAt;
    return { durationMs, bytesIn: relay?.bytesIn() ?? 0, bytesOut: relay?.bytesOut() ?? 0 };
  }

  /** `fingerprint`: of the password, if it is known. */
  #countFailure(fingerprint?: string): void {
    const { client, service, rules } = this.#admitted;
    if (rules.neverBan.has(client.address)) return;
    const failure = { ip: client.ip, service: service.name, trigger: 'failed login', origin: 'local' } as const;
    this.#context.failed(client, fingerprint === undefined ? failure : { ...failure, fingerprint });
  }

  #record(action: AuditAction, reason: string, shape: SessionShape, confidence?: Login['confidence']): void {
    const { client, service, data } = this.#admitted;
    const { durationMs, bytesIn, bytesOut } = shape;
    const moved = { bytes_in: bytesIn, bytes_out: bytesOut, duration_ms: durationMs };
    const facts = this.#inspection.facts() ?? data;
    // Most records have no confidence and no facts, so they need no copy.
    const details =
      confidence || facts ? { ...moved, ...(confidence && { confidence }), ...(facts && { facts }) } : moved;
    this.#context.record(service, client, action, reason, details);
  }
}
