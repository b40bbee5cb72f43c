/** What the sandbox command says in plain lines. */
import type { AuditEvent } from '../../daemon/audit/event.ts';
import { printable, readable } from '../../platform/escape.ts';
import { failuresText, skippedText, tableText } from '../probes/report.ts';
import type { Lines } from '../program/command.ts';
import type { Paint } from '../program/paint.ts';
import type { News, SecurityEvent, Stage, StageName } from './progress.ts';
import type { SandboxResult } from './session.ts';

/** What each stage does, while it does it. */
export const stageTitles: Readonly<Record<StageName, string>> = {
  runtime: 'looking for a container runtime',
  image: 'preparing the image',
  start: 'starting the sandbox',
  probes: 'sending the probes',
  remove: 'removing the sandbox',
};

/** Characters of a request that one line shows. */
const shownTarget = 100;

/** Of tcp-guard: `12:00:00 blocked ssh rate_limit  from 192.0.2.1:4711` */
function auditText({ action, timestamp, service, reason, client_ip, client_port }: AuditEvent, paint: Paint): string {
  const time = paint('dim', timestamp.slice(11, 19));
  const what = action === 'allowed' || action === 'unbanned' ? action : paint('red', action);
  return `${time} ${what} ${printable(service)} ${paint('bold', printable(reason))}  from ${printable(client_ip)}:${client_port}`;
}

/** `12:00:00 BLOCKED 403 GET /.env  env-file (path: /.env)  from 172.17.0.1` */
export function eventText(event: SecurityEvent, paint: Paint): string {
  if (event.type === 'security_event') return auditText(event, paint);
  const verdict = event.type === 'guard_block' ? paint('red', 'BLOCKED') : paint('yellow', 'DETECTED');
  const time = paint('dim', event.timestamp.slice(11, 19));
  const status = event.type === 'guard_block' && event.status > 0 ? ` ${event.status}` : '';
  const request = printable(`${event.method} ${event.request_uri}`.slice(0, shownTarget));
  const where = printable(`${event.target}: ${event.candidate}`.slice(0, shownTarget));
  const rule = printable(event.rule_id || event.reason);
  return `${time} ${verdict}${status} ${request}  ${paint('bold', rule)} (${where})  from ${printable(event.client_ip)}`;
}

export function durationText(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

function stageText({ name, state, milliseconds, detail }: Stage, paint: Paint): string {
  if (state === 'running') return paint('dim', `${stageTitles[name]} ...`);
  const result = detail === '' ? 'done' : readable(detail);
  return `${stageTitles[name]}: ${result} ${paint('dim', `(${durationText(milliseconds)})`)}`;
}

export const servingText = (url: string): string =>
  `serving on ${url}; blocked requests are listed here, Ctrl-C ends it`;

type Writers = { readonly [K in News['kind']]: (news: Extract<News, { kind: K }>, paint: Paint) => Lines };

const writers: Writers = {
  stage: ({ stage }, paint) => ({ stderr: stageText(stage, paint) }),
  build: ({ line }) => ({ stderr: `  | ${readable(line)}` }),
  note: ({ text }, paint) => ({ stderr: paint('yellow', `note: ${readable(text)}`) }),
  serving: ({ url }) => ({ stderr: servingText(url) }),
  event: ({ event }, paint) => ({ stdout: eventText(event, paint) }),
  summary: ({ count }) => ({ stdout: `${count} more events in one second` }),
  suite: () => ({}),
  interrupted: () => ({ stderr: 'interrupted' }),
};

export function newsLines(news: News, paint: Paint): Lines {
  const write = writers[news.kind] as (news: News, paint: Paint) => Lines;
  return write(news, paint);
}

type Result<A> = Extract<SandboxResult, { action: A }>;

function testedText({ target, url, report }: Result<'tested'>, paint: Paint): string {
  const { counts, milliseconds } = report;
  const verdict = report.ok ? paint(['bold', 'green'], 'PASSED') : paint(['bold', 'red'], 'FAILED');
  const sent = counts.passed + counts.failed;
  const head = `${target} on ${url}: ${verdict}, ${sent} probes in ${durationText(milliseconds)}`;
  const parts = [failuresText(report, paint), `${head}\n\n${tableText(report, paint)}`, skippedText(report, paint)];
  return parts.filter((part) => part !== '').join('\n\n');
}

export function resultText(result: SandboxResult, paint: Paint): string {
  switch (result.action) {
    case 'dry_run':
      return result.script;
    case 'detached':
      return `${result.target} serves on ${result.url} (container ${result.container}); guardcli cleanup removes it`;
    case 'stopped':
      return `the sandbox is removed; ${result.events} requests were reported`;
    case 'tested':
      return testedText(result, paint);
  }
}
