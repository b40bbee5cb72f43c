import { entryOf, type FoundApplication } from '../../logs/access/applications.ts';
import { formats } from '../../logs/access/formats.ts';
import { printable, readable } from '../../platform/escape.ts';
import { reasonsText } from '../batch/text.ts';
import { keptCharacters } from '../counting/bounds.ts';
import { configOption } from '../input/source.ts';
import { counted, grouped, withShare } from '../program/counted.ts';
import type { Paint } from '../program/paint.ts';
import { quote } from '../program/quote.ts';
import { shortened } from '../program/shortened.ts';
import { type Row, table } from '../program/table.ts';
import type { AnsweredRow, LogCounts, ReplayResult, RequestRow, RuleRow, SuspectRow } from './result.ts';
import type { Progress } from './run.ts';

/** Maximum characters of a printed target. */
const shownCharacters = 80;

const shownText = (text: string): string => shortened(printable(text), shownCharacters);

const sumOf = (files: readonly LogCounts[], of: (file: LogCounts) => number): number =>
  files.reduce((total, file) => total + of(file), 0);

function fileRow({ name, format, lines, requests }: LogCounts): Row {
  return [
    readable(name),
    format === null ? 'no known format' : formats[format].title,
    counted(lines, 'line'),
    counted(requests, 'request'),
  ];
}

function requestText({ method, host, target, address, count }: RequestRow): string {
  const from = address === null ? '' : `, first from ${printable(address)}`;
  return `${printable(method)} ${shownText(`${host ?? ''}${target}`)} (${grouped(count)})${from}`;
}

function ruleRows({ name, count, answered, clients, clientsExact, requests }: RuleRow): Row[] {
  const [first, ...others] = requests.map(requestText);
  return [
    [
      readable(name),
      grouped(count),
      grouped(answered),
      (clientsExact ? '' : '~') + grouped(Math.round(clients)),
      first ?? '',
    ],
    ...others.map((text) => ['', '', '', '', text]),
  ];
}

function rulesText(rules: readonly RuleRow[]): string[] {
  if (rules.length === 0) return [];
  const head: Row = ['rule', 'blocked', 'had succeeded', 'clients', 'most frequent requests'];
  return [
    '',
    'Rules that block, with the requests that had succeeded without the policy:',
    ...table([head, ...rules.flatMap(ruleRows)], { right: [1, 2, 3] }),
  ];
}

/**
 * Returns the command that allows the request. Its argument is the whole target, because a rule can match the query.
 * Undefined when `guardcli allow` cannot get the target as an argument, or when the target may have been cut.
 */
function remedyCommand({ host, example: { request } }: SuspectRow, policy: string | null): string | undefined {
  const { target } = request;
  if (target.length === keptCharacters || !/^(?:\/|https?:)[\x20-\x7e]*$/.test(target)) return undefined;
  const isUrl = !target.startsWith('/');
  const options = [...(host === null || isUrl ? [] : ['--host', printable(host)]), ...configOption(policy)];
  return ['guardcli', 'allow', ...[target, ...options].map(quote)].join(' ');
}

function suspectLines(row: SuspectRow, policy: string | null, paint: Paint): string[] {
  const { rule, method, host, path, count, clients, example } = row;
  const command = remedyCommand(row, policy);
  const { address, referrer, status } = example.request;
  const seen = `${counted(count, 'request')} from ${counted(Math.round(clients), 'client')}`;
  const from = [`${readable(example.file)}:${example.line}`, `status ${status}`, `from ${printable(address ?? '?')}`];
  return [
    `  ${readable(rule)}  ${printable(method)} ${shownText(`${host ?? ''}${path}`)}  ${seen}`,
    `    ${from.join(', ')}, linked from ${shownText(referrer ?? '')}`,
    ...(command === undefined ? [] : [`    ${paint('cyan', readable(command))}`]),
  ];
}

function suspectsText({ suspects, policy }: ReplayResult, paint: Paint): string[] {
  const { rows, total, exact, site } = suspects;
  if (rows.length === 0) return [];
  const more = total - rows.length;
  const head = 'Suspected false positives (they had succeeded, linked from the same site):';
  return [
    '',
    paint('yellow', head),
    ...rows.flatMap((row) => suspectLines(row, policy, paint)),
    ...(more > 0 ? [`  and ${grouped(more)} more`] : []),
    ...(exact ? [] : ['  there were too many different ones to keep them all; rare ones are missing']),
    ...(site === null
      ? []
      : [
          `  lines without a host count as those of ${printable(site)}, the most frequent referrer (--host sets another)`,
        ]),
  ];
}

function answeredRow({ method, host, path, clients, count, address }: AnsweredRow): Row {
  const request = `${printable(method)} ${shownText(`${host ?? ''}${path}`)}`;
  return [counted(Math.round(clients), 'client'), counted(count, 'request'), request, `first ${printable(address)}`];
}

function answeredText({ answered: { rows, total, exact } }: ReplayResult, paint: Paint): string[] {
  if (rows.length === 0) return [];
  const more = total - rows.length;
  return [
    '',
    paint('yellow', 'Answered with success to clients that sent blocked requests (check what this reveals):'),
    ...table(rows.map(answeredRow), { right: [0, 1] }),
    ...(more > 0 ? [`  and ${grouped(more)} more`] : []),
    ...(exact ? [] : ['  there were too many clients or requests to keep them all; some are missing']),
    '  what other clients request more often is left out',
  ];
}

function applicationsText(found: readonly FoundApplication[]): string[] {
  if (found.length === 0) return [];
  const rows = found.map((one) => [one.product, JSON.stringify(entryOf(one))]);
  return [
    '',
    'Applications in the log, with the entries of "applications" that let them serve their files:',
    ...table(rows),
  ];
}

export function replayText(result: ReplayResult, paint: Paint): string {
  const { policy, files, requests, verdicts, reasons, rules } = result;
  const rows: Row[] = [
    ['policy', policy === null ? 'the defaults' : readable(policy)],
    ['blocked', withShare(verdicts.blocked, requests)],
    ['allowed', withShare(verdicts.allowed, requests)],
  ];
  const apart: readonly (readonly [string, number, string])[] = [
    ['not requests', sumOf(files, (file) => file.notRequests), 'such as TLS handshakes'],
    ['other lines', sumOf(files, (file) => file.unreadable), 'not in the format of the log'],
    ['long lines', sumOf(files, (file) => file.tooLong), 'skipped'],
    ['empty lines', sumOf(files, (file) => file.empty), 'skipped'],
  ];
  for (const [name, count, note] of apart) if (count > 0) rows.push([name, `${grouped(count)}, ${note}`]);
  return [
    paint('bold', `${counted(requests, 'request')} of ${counted(files.length, 'log')}`),
    ...table(files.map(fileRow)),
    '',
    ...table(rows),
    ...reasonsText(reasons),
    ...rulesText(rules),
    ...answeredText(result, paint),
    ...applicationsText(result.applications),
    ...suspectsText(result, paint),
  ].join('\n');
}

const missingTexts = {
  bodies: 'the policy inspects bodies, which access logs do not contain',
  headers: 'the policy inspects headers, which only logs of Caddy contain',
} as const;

export function replayNotes(
  { files, mode, requests, verdicts, notInLogs, notices }: ReplayResult,
  paint: Paint,
): string {
  const warning = paint('yellow', 'warning:');
  const unknown = files.flatMap(({ name, firstUnreadable: first }) =>
    first ? [`${warning} ${readable(name)}:${first.line}: not in the format of the log: ${shownText(first.text)}`] : [],
  );
  const damaged = files.flatMap(({ name, problem }) =>
    problem === undefined ? [] : [`${warning} ${readable(name)}: ${problem}`],
  );
  const logs = files.length === 1 ? 'the log has' : 'the logs have';
  const none = `${warning} ${logs} no request; name one that does, such as a rotated one`;
  const isDetect = mode === 'detect' && verdicts.blocked > 0;
  const notes = [
    ...notices.map((text) => `${warning} ${text}`),
    ...(isDetect
      ? ['note: the mode of the policy is detect: proxies report the blocked requests and pass them on']
      : []),
    ...notInLogs.map((part) => `note: ${missingTexts[part]}`),
    ...unknown,
    ...damaged,
  ];
  return [...notes, ...(requests === 0 ? [none] : [])].join('\n');
}

const megabyte = 1_000_000;

export function progressText({ file, lines, bytes, ofBytes, elapsedMs }: Progress): string {
  const done = ofBytes === 0 ? '' : `${Math.floor((100 * bytes) / ofBytes)} %, `;
  const left =
    ofBytes === 0 || bytes === 0
      ? ''
      : `, ${grouped(Math.round(((ofBytes - bytes) / bytes) * (elapsedMs / 1000)))} s left`;
  const speed = `${grouped(Math.round(bytes / megabyte / (elapsedMs / 1000)))} MB/s`;
  return `${readable(file)}: ${done}${grouped(lines)} lines, ${speed}${left}`;
}
