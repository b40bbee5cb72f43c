import { formatDuration, permanent } from '../../../contract/values/duration.ts';
import type { RehearsedClient } from '../../../daemon/intake/rehearsal.ts';
import { printable, readable } from '../../../platform/escape.ts';
import { replayBounds } from '../../counting/bounds.ts';
import { counted, grouped } from '../../program/counted.ts';
import type { Paint } from '../../program/paint.ts';
import { type Row, table } from '../../program/table.ts';
import type { BansResult } from './result.ts';

const timeText = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

function durationsText({ durations, bans }: RehearsedClient): string {
  const texts = durations.map((ms) => (ms === null ? permanent : formatDuration(ms)));
  return [...texts, ...(bans > durations.length ? [`and ${grouped(bans - durations.length)} more`] : [])].join(', ');
}

function clientRow(client: RehearsedClient): Row {
  const { ip, source, reason, bannedAt, hasLoggedIn, isPrivate } = client;
  const marks = [...(hasLoggedIn ? ['had logged in'] : []), ...(isPrivate ? ['private'] : [])].join(', ');
  return [printable(ip), timeText(bannedAt), durationsText(client), readable(source), printable(reason), marks];
}

function bannedText({ banned }: BansResult, paint: Paint): string[] {
  if (banned.length === 0) return [];
  const head: Row = ['address', 'first ban (UTC)', 'for', 'source', 'reason', ''];
  // Wrong bans first: the operator looks for them.
  const rows = banned.toSorted((one, other) => Number(other.hasLoggedIn) - Number(one.hasLoggedIn));
  const more = banned.length - replayBounds.shownBanned;
  return [
    '',
    paint('bold', 'Would have been banned, those that had logged in first:'),
    ...table([head, ...rows.slice(0, replayBounds.shownBanned).map(clientRow)]),
    ...(more > 0 ? [`  and ${grouped(more)} more (--json prints all)`] : []),
  ];
}

function sparedText({ spared }: BansResult): string[] {
  if (spared.length === 0) return [];
  const rows = spared
    .slice(0, replayBounds.shownSpared)
    .map(({ ip, failures, isPrivate }): Row => [printable(ip), grouped(failures), isPrivate ? 'private' : '']);
  const more = spared.length - rows.length;
  return [
    '',
    'Never banned, although they failed (never_ban, addresses of this host, private addresses):',
    ...table([['address', 'failures', ''], ...rows], { right: [1] }),
    ...(more > 0 ? [`  and ${grouped(more)} more`] : []),
  ];
}

export function bansText(result: BansResult, paint: Paint): string {
  const { sources, banned } = result;
  const loggedIn = banned.filter(({ hasLoggedIn }) => hasLoggedIn).length;
  const privates = banned.filter(({ isPrivate }) => isPrivate).length;
  const head: Row = ['source', 'format', 'lines', 'failures', 'prevented', 'exempt', 'without client'];
  const rows = sources.map(
    ({ source, format, lines, outcomes: { counted: failures, prevented, exempt, unforwarded } }): Row => [
      ...[readable(source), format],
      ...[lines, failures, prevented, exempt, unforwarded].map(grouped),
    ],
  );
  return [
    paint(
      'bold',
      `${counted(banned.length, 'client')} would have been banned; ${grouped(loggedIn)} had logged in, ${grouped(privates)} private`,
    ),
    '',
    ...table([head, ...rows], { right: [2, 3, 4, 5, 6] }),
    ...bannedText(result, paint),
    ...sparedText(result),
  ].join('\n');
}

export function bansNotes({ problems, undated, sources, notices }: BansResult, paint: Paint): string {
  const warning = paint('yellow', 'warning:');
  const unread = sources.filter(({ lines }) => lines === 0);
  return [
    ...notices.map((text) => `${warning} ${text}`),
    ...problems.map((problem) => `${warning} ${printable(problem)}`),
    ...(undated > 0 ? [`${warning} ${counted(undated, 'line')} without a time in a known form: not counted`] : []),
    ...unread.map(({ source }) => `note: no line of ${readable(source)} was read`),
  ].join('\n');
}
