import type { AuditRecord, RequestEvent } from '../../../contract/events/members.ts';
import { printable, readable } from '../../../platform/escape.ts';
import { failuresText, skippedText, tableText } from '../../probes/report.ts';
import type { Lines } from '../../program/command.ts';
import { counted } from '../../program/counted.ts';
import type { Paint } from '../../program/paint.ts';
import { titleOf } from '../../targets/find.ts';
import type { SandboxResult } from './result.ts';
import { type SandboxEvent, type SessionEvent, type Stage, stages } from './state.ts';

/** Maximum number of characters of a request, a match or a refused value. */
const targetLength = 100;

const shownText = (text: string): string => printable(text.slice(0, targetLength));

/**
 * Returns text such as `12:00:00 blocked redis command FLUSHALL from 192.0.2.1:4711`. `facts` has the
 * refused value under the name of the reason, here `command`.
 */
function auditText(event: AuditRecord, paint: Paint): string {
  const { action, timestamp, service, reason, client_ip, client_port, facts } = event;
  const refused = facts?.[reason] === undefined ? '' : ` ${shownText(facts[reason])}`;
  const time = paint('dim', timestamp.slice(11, 19));
  const what = action === 'allowed' || action === 'unbanned' ? action : paint('red', action);
  return `${time} ${what} ${printable(service)} ${paint('bold', printable(reason))}${refused}  from ${printable(client_ip)}:${client_port}`;
}

/** Returns the target and the inspected text in which the rule matched. Empty when the request line shows this text. */
function matchedText({ target, candidate, request_uri }: RequestEvent): string {
  const isShown = target === 'path' && candidate === request_uri.replace(/\?.*$/s, '');
  return isShown ? '' : ` (${shownText(`${target}: ${candidate}`)})`;
}

/** Returns text such as `12:00:00 BLOCKED env-file  403 GET /.env  from 172.17.0.1`. Narrow terminals cut the end. */
export function eventText(event: SandboxEvent, paint: Paint): string {
  if (event.type === 'security_event') return auditText(event, paint);
  const verdict = event.type === 'guard_block' ? paint('red', 'BLOCKED') : paint('yellow', 'DETECTED');
  const time = paint('dim', event.timestamp.slice(11, 19));
  const rule = paint('bold', printable(event.rule_id || event.reason));
  const status = event.type === 'guard_block' && event.status > 0 ? `${event.status} ` : '';
  const request = `${status}${shownText(`${event.method} ${event.request_uri}`)}${matchedText(event)}`;
  return `${time} ${verdict} ${rule}  ${request}  from ${printable(event.client_ip)}`;
}

export function durationText(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

const endingStyles = { failed: 'red', interrupted: 'yellow' } as const;

function stageText({ name, state, milliseconds, detail }: Stage, paint: Paint): string {
  const { title } = stages[name];
  if (state === 'running') return paint('dim', `${title} ...`);
  const result = state === 'done' ? readable(detail) || 'done' : paint(endingStyles[state], state);
  return `${title}: ${result} ${paint('dim', `(${durationText(milliseconds)})`)}`;
}

export const noteText = (note: string, paint: Paint): string => paint('yellow', `note: ${readable(note)}`);

const servingText = (url: string): string =>
  `serving on ${url}; blocked requests are listed here, press Ctrl-C to stop`;

type Writers = {
  readonly [K in SessionEvent['kind']]: (event: Extract<SessionEvent, { kind: K }>, paint: Paint) => Lines;
};

const noLines = (): Lines => ({});

const eventWriters: Writers = {
  stage: ({ stage }, paint) => ({ stderr: stageText(stage, paint) }),
  build: ({ line }) => ({ stderr: `  | ${readable(line)}` }),
  ready: ({ notes }, paint) =>
    notes.length === 0 ? {} : { stderr: notes.map((note) => noteText(note, paint)).join('\n') },
  following: ({ url }) => ({ stderr: servingText(url) }),
  security: ({ event }, paint) => ({ stdout: eventText(event, paint) }),
  suppressed: ({ count }) => ({ stdout: `${counted(count, 'more event')} in one second` }),
  probes: noLines,
  interrupted: () => ({ stderr: 'interrupted' }),
  stopped: noLines,
  failed: noLines,
};

export function eventLines(event: SessionEvent, paint: Paint): Lines {
  const write = eventWriters[event.kind] as (event: SessionEvent, paint: Paint) => Lines;
  return write(event, paint);
}

/** Returns the JSON documents of an event, one per line. */
export function eventItems(event: SessionEvent): readonly object[] {
  switch (event.kind) {
    case 'ready':
      return [{ type: 'sandbox_serving', target: event.target, url: event.url, notes: event.notes }];
    case 'security':
      return [event.event];
    case 'suppressed':
      return [{ type: 'guard_block_summary', count: event.count }];
    case 'stopped':
      return [{ type: 'sandbox_stopped', ...(event.result.action === 'stopped' && { events: event.result.events }) }];
    default:
      return [];
  }
}

type Result<A> = Extract<SandboxResult, { action: A }>;

/** Returns the result of the probes. Failures come last, where they stay visible on a terminal. */
function testedText({ target, url, report }: Result<'tested'>, paint: Paint): string {
  const { counts, milliseconds } = report;
  const verdict = report.ok ? paint(['bold', 'green'], 'PASSED') : paint(['bold', 'red'], 'FAILED');
  const sent = counted(counts.passed + counts.failed, 'probe');
  const head = `${titleOf(target)} on ${url}: ${verdict}, ${sent} in ${durationText(milliseconds)}`;
  const parts = [`${head}\n\n${tableText(report, paint)}`, skippedText(report, paint), failuresText(report, paint)];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Returns a result as text. cli/suite/reporters has the text for `--suite`. */
export function resultText(result: Exclude<SandboxResult, { action: 'checked' }>, paint: Paint): string {
  switch (result.action) {
    case 'dry_run':
      return result.script;
    case 'detached': {
      const { target, url, container } = result;
      return `${titleOf(target)} serves on ${url}; guardcli cleanup ${container} removes it`;
    }
    case 'stopped':
      return `the sandbox is removed; ${counted(result.events, 'event')} reported`;
    case 'tested':
      return testedText(result, paint);
  }
}
