/** Event lines for tests. */
import { blockEvent } from '../../../conformance/events/lines.ts';
import { eventExamples } from '../../../contract/events/examples.ts';

export const now = Date.parse('2026-11-22T00:00:00Z');
export const minutesAgo = (minutes: number): string => new Date(now - minutes * 60_000).toISOString();

/** @param changes members that replace those of the example */
export const blockLine = (changes: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ ...blockEvent(minutesAgo(10)), ...changes });

export const auditLine = (changes: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    ...{ ...eventExamples.audit, timestamp: minutesAgo(20), service: 'ssh', protocol: 'ssh', client_ip: '192.0.2.1' },
    ...{ country_code: 'DE', reason: 'ban', ...changes },
  });

export const linesText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
