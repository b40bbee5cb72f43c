import type { BanRecord, ExemptionRecord } from '../../contract/api/records.ts';
import { parseDuration } from '../../contract/values/duration.ts';
import { printable, readable } from '../../platform/escape.ts';
import type { DaemonEvent, SourceStats } from '../daemon/client.ts';
import type { Lines } from '../program/command.ts';
import { grouped } from '../program/counted.ts';
import type { Paint, Style } from '../program/paint.ts';
import { shortened } from '../program/shortened.ts';
import { table } from '../program/table.ts';
import type { BanProgress } from './watch.ts';

const durationText = (remaining: string): string =>
  remaining === 'permanent' ? 'permanently' : `for ${readable(remaining)}`;

/** Characters of the one line of evidence that each ban has in a list. */
const listedEvidence = 100;

/** The newest line of evidence. All of it, when one address was asked for. */
function evidenceLines({ evidence = [] }: BanRecord, isWhole: boolean): string[] {
  const lines = evidence.map((line) => printable(line));
  return isWhole ? lines : lines.slice(-1).map((line) => shortened(line, listedEvidence));
}

function banTable(bans: readonly BanRecord[], paint: Paint, isWhole: boolean): string {
  if (bans.length === 0) return 'no bans';
  const isCounted = bans.some(({ packets }) => packets !== undefined);
  const counted = (text: string): string[] => (isCounted ? [text] : []);
  const title = ['address', 'expires in', ...counted('packets'), 'origin', 'service', 'reason'];
  const rows = bans.map(({ ip, remaining, packets, origin, service, reason, detected }) =>
    [
      ...[ip, remaining, ...counted(packets === undefined ? '-' : grouped(packets)), origin, service ?? '-'],
      detected ? `${reason} (detected, not banned)` : reason,
    ].map(readable),
  );
  const layout = { indent: '', right: isCounted ? [2] : [] };
  const [head = '', ...lines] = table([title.map((name) => paint('dim', name)), ...rows], layout);
  const evidence = bans.map((ban) => evidenceLines(ban, isWhole).map((line) => paint('dim', `    ${line}`)));
  return [head, ...lines.flatMap((line, index) => [line, ...(evidence[index] ?? [])])].join('\n');
}

/** The bans, then the exemptions, if there are any. `isWhole`: with all evidence. */
export function listTexts(
  { bans, exemptions = [] }: { readonly bans: readonly BanRecord[]; readonly exemptions?: readonly ExemptionRecord[] },
  paint: Paint,
  isWhole: boolean,
): string[] {
  if (exemptions.length === 0) return [banTable(bans, paint, isWhole)];
  const title = ['exempt', 'expires in', 'reason'].map((name) => paint('dim', name));
  const rows = exemptions.map(({ ip, remaining, reason }) => [ip, remaining, reason].map(readable));
  return [banTable(bans, paint, isWhole), table([title, ...rows], { indent: '' }).join('\n')];
}

const sourceTitle = [
  'source',
  'format',
  'lines',
  'counted',
  'ignored',
  'exempt',
  'late',
  'without client',
  'unread bytes',
];

export function sourcesText(sources: readonly SourceStats[], paint: Paint): string {
  if (sources.length === 0) return 'no sources';
  const rows = sources.map(({ source, format, lines, counted, ignored, exempt, late, unforwarded, behind_bytes }) => [
    ...[source, format].map(readable),
    ...[lines, counted, ignored, exempt, late, unforwarded, behind_bytes].map((count) => grouped(count)),
  ]);
  const title = sourceTitle.map((name) => paint('dim', name));
  return table([title, ...rows], { indent: '', right: [2, 3, 4, 5, 6, 7, 8] }).join('\n');
}

export const allowedText = ({ ip, remaining, reason }: ExemptionRecord, paint: Paint, isEnd: boolean): string =>
  `${paint('bold', readable(ip))} is ${isEnd ? 'no longer exempt' : `exempt for ${readable(remaining)}`}: ${readable(reason)}`;

const milliseconds = (duration: string): number => parseDuration(duration) ?? Number.POSITIVE_INFINITY;

export function addedText(
  { ip, remaining, origin, reason }: BanRecord,
  paint: Paint,
  { duration: wanted }: { readonly duration?: string },
): string {
  const isLonger = wanted !== undefined && milliseconds(remaining) > milliseconds(wanted);
  const added = `${paint('bold', readable(ip))} is banned ${durationText(remaining)} (${origin}): ${readable(reason)}`;
  return isLonger ? `${added}\nan earlier ban lasts longer and stays; --replace replaces it` : added;
}

export const deletedText = ({ ip, reason }: BanRecord, paint: Paint): string =>
  `${paint('bold', readable(ip))} is no longer banned: ${readable(reason)}`;

const colors: Readonly<Record<string, Style>> = { banned: 'red', detected: 'yellow' };

function eventText({ timestamp, action, client_ip, service, reason }: DaemonEvent, paint: Paint): string {
  const what = paint(colors[action] ?? 'green', action.padEnd('unbanned'.length));
  const where = service === '' ? '' : ` (${readable(service)})`;
  return `${paint('dim', readable(timestamp))} ${what} ${paint('bold', readable(client_ip))}${where}: ${readable(reason)}`;
}

export const progressLines = (progress: BanProgress, paint: Paint): Lines =>
  'event' in progress
    ? { stdout: eventText(progress.event, paint) }
    : { stderr: `tcp-guard does not respond: ${readable(progress.lost)}; trying again` };
