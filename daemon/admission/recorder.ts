/** Writes audit records of connections and of bans. */

import type { Client } from '../address/client.ts';
import type { AuditAction, AuditEvent } from '../audit/event.ts';
import type { Bans } from '../bans/ban.ts';
import type { CountryOf } from '../geo/database.ts';
import { timestampOf } from '../time/timestamp.ts';
import type { ServiceRules } from './rules.ts';

type Moved = Pick<AuditEvent, 'bytes_in' | 'bytes_out' | 'duration_ms'>;
export type RecordDetails = Moved & Partial<Pick<AuditEvent, 'confidence' | 'facts' | 'count'>>;

export type RecordedService = Pick<ServiceRules, 'name'> & { readonly config: { readonly protocol: string } };

export type Recorder = (
  service: RecordedService,
  client: Pick<Client, 'ip' | 'port'>,
  action: AuditAction,
  reason: string,
  details?: RecordDetails,
) => void;

export interface RecorderOptions {
  readonly write: (event: AuditEvent) => void;
  readonly countryOf: CountryOf;
  readonly now: () => number;
}

export const nothingMoved: Moved = { bytes_in: 0, bytes_out: 0, duration_ms: 0 };

export function connectionRecorder({ write, countryOf, now }: RecorderOptions): Recorder {
  return (service, client, action, reason, details = nothingMoved) =>
    write({
      type: 'security_event',
      timestamp: timestampOf(now()),
      service: service.name,
      protocol: service.config.protocol,
      client_ip: client.ip,
      client_port: client.port,
      country_code: countryOf(client.ip),
      action,
      reason,
      ...details,
    });
}

type ProtocolOf = (service: string) => string | undefined;

/** Records each start and end of a ban, and each detected ban. Returns a function that stops the recording. */
export function recordBans(bans: Bans, protocolOf: ProtocolOf, { write, now }: RecorderOptions): () => void {
  const record = connectionRecorder({ write, countryOf: () => '', now }); // a network may span several countries
  return bans.watchAll((change) => {
    if (change.kind === 'restored') return; // each of these bans was recorded when it began
    const { kind, ban } = change;
    if (ban.isDetected && kind === 'unbanned') return; // no one was refused until now
    const name = ban.service ?? '';
    const action = ban.isDetected ? 'detected' : kind;
    record({ name, config: { protocol: protocolOf(name) ?? '' } }, { ip: ban.ip, port: 0 }, action, ban.reason);
  });
}
