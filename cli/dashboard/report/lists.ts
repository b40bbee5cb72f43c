/** The lists of the page. Each is a table with a sentence about the rows that it omits. */

import type { AnsweredList, AnsweredRow } from '../../replay/result.ts';
import { reportBounds } from './bounds.ts';
import { bar } from './chart.ts';
import { ruleName } from './document.ts';
import { atLeast, type Column, type Html, joined, minute, number, raw, table, text, value } from './html.ts';
import type { AddressRow, CountryRow, PathRow, RuleRow, SourceRow, TopList } from './result.ts';

const count = <R>(title: string, of: (row: R) => number): Column<R> => ({
  title,
  cell: (row) => text(number(of(row))),
  isNumber: true,
});

/** Returns the column by which a list is sorted: the count with a bar. */
function ranked<R extends { readonly count: number; readonly missed?: number }>(title: string, rows: readonly R[]) {
  const most = rows[0]?.count ?? 0;
  const cell = (row: R) => joined([bar(row.count, most), text(atLeast(row.count, row.missed ?? 0))], ' ');
  return { title, cell, isNumber: true } satisfies Column<R>;
}

/** Returns a sentence about the rows that a list omits, or an empty text. */
function omission({ rows, distinct, exact, missedAtMost }: TopList<unknown>, many: string): string {
  if (!exact)
    return (
      `There were more different ${many} than are counted one by one. A count with \u2265 may be too low, ` +
      `and one that is not listed is at most ${number(missedAtMost)}.`
    );
  return distinct > rows.length ? `The first ${number(rows.length)} of ${number(distinct)} ${many}.` : '';
}

function list<R>(caption: string, many: string, top: TopList<R>, columns: readonly Column<R>[]): Html {
  if (top.rows.length === 0) return raw('<p>None.</p>');
  const note = omission(top, many);
  return raw(`${table(caption, columns, top.rows).html}${note && `<p class="note">${text(note).html}</p>`}`);
}

export const sourceList = (top: TopList<SourceRow>): Html =>
  list('Events by gateway, and of tcp-guard', 'gateways', top, [
    { title: 'Source', cell: ({ source }) => value(source) },
    count('Blocked', ({ blocked }) => blocked),
    count('Would be blocked (mode detect)', ({ detected }) => detected),
    count('Failed logins', ({ auth_failure }) => auth_failure),
    count('Bans', ({ banned }) => banned),
    count('Allowed', ({ allowed }) => allowed),
  ]);

const paths = (row: RuleRow): Html =>
  joined(
    row.paths.map((one) => raw(`${value(one.path).html} <span class="note">${number(one.count)}</span>`)),
    '<br>',
  );

const ruleColumns = (rows: readonly RuleRow[]): readonly Column<RuleRow>[] => [
  { title: 'Rule', cell: (row) => value(ruleName(row)) },
  ranked('Requests', rows),
  count('Of them in mode detect', ({ detected }) => detected),
  {
    title: 'Clients',
    cell: ({ clients, clientsExact }) => text(`${clientsExact ? '' : '\u2248 '}${number(Math.round(clients))}`),
    isNumber: true,
  },
  { title: 'Requests per client', cell: ({ perClient }) => text(perClient.toFixed(1)), isNumber: true },
  { title: 'Most frequent paths', cell: paths },
  { title: 'Newest reference', cell: ({ reference }) => text(reference ?? '\u2013') },
];

export const ruleList = (top: TopList<RuleRow>): Html =>
  list('Rules of the gateways and reasons of tcp-guard, by requests', 'rules', top, ruleColumns(top.rows));

export const suspectList = (rows: readonly RuleRow[]): Html =>
  rows.length === 0
    ? raw('<p>No rule fits this description.</p>')
    : table('Rules that may match ordinary visitors, by clients', ruleColumns(rows), rows);

const addressColumns = (rows: readonly AddressRow[]): readonly Column<AddressRow>[] => [
  { title: 'Address', cell: ({ address }) => value(address) },
  ranked('All', rows),
  count('Gateways: blocked', ({ gateways }) => gateways.blocked),
  count('Gateways: mode detect', ({ gateways }) => gateways.detected),
  count('tcp-guard: blocked', ({ tcpGuard }) => tcpGuard.blocked),
  count('tcp-guard: failed logins', ({ tcpGuard }) => tcpGuard.auth_failure),
  count('tcp-guard: bans', ({ tcpGuard }) => tcpGuard.banned),
  count('tcp-guard: allowed', ({ tcpGuard }) => tcpGuard.allowed),
  { title: 'Country', cell: ({ country }) => text(country || '\u2013') },
  { title: 'Last seen (UTC)', cell: ({ lastSeen }) => minute(lastSeen) },
];

export const addressList = (top: TopList<AddressRow>): Html =>
  list('Addresses by blocked requests, failed logins and bans', 'addresses', top, addressColumns(top.rows));

const seenFirst = { gateway: 'the gateways', 'tcp-guard': 'tcp-guard' } as const;

export const bothLayersList = (top: TopList<AddressRow>): Html =>
  list('Addresses that both a gateway and tcp-guard saw', 'addresses', top, [
    ...addressColumns(top.rows),
    { title: 'Seen first by', cell: ({ firstAt }) => text(firstAt === null ? '\u2013' : seenFirst[firstAt]) },
  ]);

export const countryList = (top: TopList<CountryRow>): Html =>
  list('Connections that tcp-guard blocked, by country', 'countries', top, [
    { title: 'Country', cell: ({ country }) => text(country) },
    ranked('Connections', top.rows),
  ]);

export const pathList = (top: TopList<PathRow>): Html =>
  list(`Paths by requests; ${reportBounds.pathCharacters} characters of each are compared`, 'paths', top, [
    { title: 'Path', cell: ({ path }) => value(path) },
    ranked('Requests', top.rows),
    { title: 'Rule of the first request', cell: ({ rule }) => value(rule) },
  ]);

const howToRead = raw(
  '<p>No file is of a replay. Only access logs have responses: ' +
    '<code>guardcli replay access.log --json &gt; replay.jsonl</code> writes a file that this command reads.</p>',
);

/** Returns a request in the form `GET shop.example.com/wp-login.php`. Each character of the row is a byte of the log. */
const requestOf = ({ method, host, path }: AnsweredRow): Html =>
  value(Buffer.from(`${method} ${host ?? ''}${path}`, 'latin1').toString('utf8'));

export function answeredList(list: AnsweredList | null): Html {
  if (list === null) return howToRead;
  const { rows, total, exact } = list;
  const notes = [
    ...(total > rows.length ? [`The first ${number(rows.length)} of ${number(total)} requests.`] : []),
    ...(exact ? [] : ['There were too many clients or requests to keep them all; some are missing.']),
    'These are of whole access logs, whatever --since. What other clients request more often is left out.',
  ];
  const shown = table(
    'Requests answered with success (2xx or 304) to clients that also sent blocked requests',
    [
      { title: 'Request', cell: requestOf },
      count('Clients with blocked requests', ({ clients }) => clients),
      count('Their requests', (row) => row.count),
      count('Requests of other clients', ({ others }) => others),
      { title: 'First client', cell: ({ address }) => value(address) },
    ] satisfies readonly Column<AnsweredRow>[],
    rows,
  );
  return raw(`${rows.length === 0 ? '<p>None.</p>' : shown.html}<p class="note">${text(notes.join(' ')).html}</p>`);
}
