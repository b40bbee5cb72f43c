/** A connection that was admitted: its place among logins, its failed logins, and its records. */
import type { Client } from '../address/client.ts';
import type { Served } from '../admission/admission.ts';
import type { ConnectionTable } from '../admission/connection-table.ts';
import type { AuditAction } from '../audit/event.ts';
import type { Attempt } from '../inspectors/inspector.ts';
import type { EndLogin } from '../logins/places.ts';
import type { Connection } from '../plane/plane.ts';
import type { SharedContext } from './context.ts';
import type { Login } from './inspection.ts';
import type { DataConnection } from './passive.ts';

export interface AdmittedConnection<C extends Connection> extends Served {
  readonly connection: C;
  readonly client: Client;
  readonly enter: ConnectionTable['enter'];
  /** The facts of a data connection, which is relayed without inspection. Undefined for other connections. */
  readonly data: DataConnection<C>['facts'] | undefined;
}

type Admitted = Pick<AdmittedConnection<Connection>, 'client' | 'service' | 'rules'>;

const doNothing = (): void => {};

/** Requests a place for a login. Clients that are not banned need none. */
export function requestPlace(
  { places }: Pick<SharedContext, 'places'>,
  { client, service, rules }: Admitted,
  { user }: Attempt,
  granted: () => void,
): EndLogin {
  const most = rules.neverBan.has(client.address) ? Number.POSITIVE_INFINITY : service.mostJudgedLogins;
  const login = { client, service: service.name, user, most, windowMs: rules.failureWindowMs };
  if (most < Number.POSITIVE_INFINITY) return places.request(login, granted);
  granted();
  return doNothing;
}

/** Counts a failed login. `fingerprint`: of the password, if it is known. */
export function countFailure(
  { failed }: Pick<SharedContext, 'failed'>,
  { client, service, rules }: Admitted,
  fingerprint?: string,
): void {
  if (rules.neverBan.has(client.address)) return;
  const failure = { ip: client.ip, service: service.name, trigger: 'failed login', origin: 'local' } as const;
  failed(client, fingerprint === undefined ? failure : { ...failure, fingerprint });
}

interface SessionEvent {
  readonly action: AuditAction;
  readonly reason: string;
  readonly confidence: Login['confidence'] | undefined;
  readonly moved: { readonly bytes_in: number; readonly bytes_out: number; readonly duration_ms: number };
  readonly facts: Readonly<Record<string, string>> | undefined;
}

/** Records an event of a session. */
export function recordEvent(
  { record }: Pick<SharedContext, 'record'>,
  { client, service }: Admitted,
  { action, reason, moved, confidence, facts }: SessionEvent,
): void {
  // Most records have no confidence and no facts, so they need no copy.
  const details =
    confidence || facts ? { ...moved, ...(confidence && { confidence }), ...(facts && { facts }) } : moved;
  record(service, client, action, reason, details);
}
