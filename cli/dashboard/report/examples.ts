/** Event lines for tests. */
import { blockEvent } from '../../../conformance/events/lines.ts';

export const now = Date.parse('2026-11-22T00:00:00Z');
export const minutesAgo = (minutes: number): string => new Date(now - minutes * 60_000).toISOString();

/** @param changes members that replace those of the example */
export const blockLine = (changes: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ ...blockEvent(minutesAgo(10)), ...changes });

export const auditLine = (changes: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    ...{ type: 'security_event', timestamp: minutesAgo(20), service: 'ssh', protocol: 'ssh', client_ip: '192.0.2.1' },
    ...{ client_port: 4000, country_code: 'DE', action: 'blocked', reason: 'ban', bytes_in: 1, bytes_out: 2 },
    ...{ duration_ms: 3, ...changes },
  });

export const linesText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
