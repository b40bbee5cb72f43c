import { reportBounds } from '../counting/bounds.ts';
import { grouped } from '../program/counted.ts';
import type { AnsweredList, AnsweredRow } from '../replay/result.ts';
import { drawBar } from './chart.ts';
import { ruleName } from './document.ts';
import {
  atLeastText,
  type Column,
  type Html,
  joinHtml,
  minuteHtml,
  rawHtml,
  tableHtml,
  textHtml,
  valueHtml,
} from './html.ts';
import type { AddressRow, CountryRow, PathRow, RuleRow, SourceRow, TopList } from './result.ts';

const countColumn = <R>(title: string, of: (row: R) => number): Column<R> => ({
  title,
  cell: (row) => textHtml(grouped(of(row))),
  isNumber: true,
});

/** Returns a column with the count and a bar. The largest count has a bar of full length. */
function rankedColumn<R extends { readonly count: number; readonly missed?: number }>(
  title: string,
  rows: readonly R[],
) {
  const most = Math.max(0, ...rows.map(({ count }) => count));
  const cell = (row: R) => joinHtml([drawBar(row.count, most), textHtml(atLeastText(row.count, row.missed ?? 0))], ' ');
  return { title, cell, isNumber: true } satisfies Column<R>;
}

/** Returns a note about omitted rows, or an empty text when no row is omitted. */
function omissionNote({ rows, distinct, exact, missedAtMost }: TopList<unknown>, many: string): string {
  if (!exact)
    return (
      `There were more different ${many} than are counted one by one. A count with \u2265 may be too low, ` +
      `and one that is not listed is at most ${grouped(missedAtMost)}.`
    );
  return distinct > rows.length ? `The first ${grouped(rows.length)} of ${grouped(distinct)} ${many}.` : '';
}

function listHtml<R>(caption: string, many: string, top: TopList<R>, columns: readonly Column<R>[]): Html {
  if (top.rows.length === 0) return rawHtml('<p>None.</p>');
  const note = omissionNote(top, many);
  return rawHtml(
    `${tableHtml(caption, columns, top.rows).html}${note && `<p class="note">${textHtml(note).html}</p>`}`,
  );
}

export const sourceList = (top: TopList<SourceRow>): Html =>
  listHtml('Events by gateway, and of tcp-guard', 'gateways', top, [
    { title: 'Source', cell: ({ source }) => valueHtml(source) },
    countColumn('Blocked', ({ blocked }) => blocked),
    countColumn('Would be blocked (mode detect)', ({ detected }) => detected),
    countColumn('Failed logins', ({ auth_failure }) => auth_failure),
    countColumn('Bans', ({ banned }) => banned),
    countColumn('Allowed', ({ allowed }) => allowed),
  ]);

const pathsHtml = (row: RuleRow): Html =>
  joinHtml(
    row.paths.map((one) => rawHtml(`${valueHtml(one.path).html} <span class="note">${grouped(one.count)}</span>`)),
    '<br>',
  );

const ruleColumns = (rows: readonly RuleRow[]): readonly Column<RuleRow>[] => [
  { title: 'Rule', cell: (row) => valueHtml(ruleName(row)) },
  rankedColumn('Requests', rows),
  countColumn('Of them in mode detect', ({ detected }) => detected),
  {
    title: 'Clients',
    cell: ({ clients, clientsExact }) => textHtml(`${clientsExact ? '' : '\u2248 '}${grouped(Math.round(clients))}`),
    isNumber: true,
  },
  { title: 'Requests per client', cell: ({ perClient }) => textHtml(perClient.toFixed(1)), isNumber: true },
  { title: 'Most frequent paths', cell: pathsHtml },
  { title: 'Newest reference', cell: ({ reference }) => textHtml(reference ?? '\u2013') },
];

export const ruleList = (top: TopList<RuleRow>): Html =>
  listHtml('Rules of the gateways and reasons of tcp-guard, by requests', 'rules', top, ruleColumns(top.rows));

export const suspectList = (rows: readonly RuleRow[]): Html =>
  rows.length === 0
    ? rawHtml('<p>No rule fits this description.</p>')
    : tableHtml('Rules that may match ordinary visitors, by clients', ruleColumns(rows), rows);

const addressColumns = (rows: readonly AddressRow[]): readonly Column<AddressRow>[] => [
  { title: 'Address', cell: ({ address }) => valueHtml(address) },
  rankedColumn('All', rows),
  countColumn('Gateways: blocked', ({ gateways }) => gateways.blocked),
  countColumn('Gateways: mode detect', ({ gateways }) => gateways.detected),
  countColumn('tcp-guard: blocked', ({ tcpGuard }) => tcpGuard.blocked),
  countColumn('tcp-guard: failed logins', ({ tcpGuard }) => tcpGuard.auth_failure),
  countColumn('tcp-guard: bans', ({ tcpGuard }) => tcpGuard.banned),
  countColumn('tcp-guard: allowed', ({ tcpGuard }) => tcpGuard.allowed),
  { title: 'Country', cell: ({ country }) => textHtml(country || '\u2013') },
  { title: 'Last seen (UTC)', cell: ({ lastSeen }) => minuteHtml(lastSeen) },
];

export const addressList = (top: TopList<AddressRow>): Html =>
  listHtml('Addresses by blocked requests, failed logins and bans', 'addresses', top, addressColumns(top.rows));

const layerNames = { gateway: 'the gateways', 'tcp-guard': 'tcp-guard' } as const;

export const bothLayersList = (top: TopList<AddressRow>): Html =>
  listHtml('Addresses that both a gateway and tcp-guard saw', 'addresses', top, [
    ...addressColumns(top.rows),
    { title: 'Seen first by', cell: ({ firstAt }) => textHtml(firstAt === null ? '\u2013' : layerNames[firstAt]) },
  ]);

export const countryList = (top: TopList<CountryRow>): Html =>
  listHtml('Connections that tcp-guard blocked, by country', 'countries', top, [
    { title: 'Country', cell: ({ country }) => textHtml(country) },
    rankedColumn('Connections', top.rows),
  ]);

export const pathList = (top: TopList<PathRow>): Html =>
  listHtml(`Paths by requests; ${reportBounds.pathCharacters} characters of each are compared`, 'paths', top, [
    { title: 'Path', cell: ({ path }) => valueHtml(path) },
    rankedColumn('Requests', top.rows),
    { title: 'Rule of the first request', cell: ({ rule }) => valueHtml(rule) },
  ]);

const replayHint = rawHtml(
  '<p>No file is of a replay. Only access logs have responses: ' +
    '<code>guardcli replay access.log --json &gt; replay.jsonl</code> writes a file that this command reads.</p>',
);

/** Returns the request of a row as text. Each character of the row is a byte of the log. */
const requestOf = ({ method, host, path }: AnsweredRow): Html =>
  valueHtml(Buffer.from(`${method} ${host ?? ''}${path}`, 'latin1').toString('utf8'));

export function answeredList(list: AnsweredList | null): Html {
  if (list === null) return replayHint;
  const { rows, total, exact } = list;
  const notes = [
    ...(total > rows.length ? [`The first ${grouped(rows.length)} of ${grouped(total)} requests.`] : []),
    ...(exact ? [] : ['There were too many clients or requests to keep them all; some are missing.']),
    'These are of whole access logs, whatever --since. What other clients request more often is left out.',
  ];
  const shown = tableHtml(
    'Requests answered with success (2xx or 304) to clients that also sent blocked requests',
    [
      { title: 'Request', cell: requestOf },
      countColumn('Clients with blocked requests', ({ clients }) => clients),
      countColumn('Their requests', (row) => row.count),
      countColumn('Requests of other clients', ({ others }) => others),
      { title: 'First client', cell: ({ address }) => valueHtml(address) },
    ] satisfies readonly Column<AnsweredRow>[],
    rows,
  );
  return rawHtml(
    `${rows.length === 0 ? '<p>None.</p>' : shown.html}<p class="note">${textHtml(notes.join(' ')).html}</p>`,
  );
}
