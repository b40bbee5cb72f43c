import { printable } from '../../platform/escape.ts';
import { command } from '../program/command.ts';
import type { Context } from '../program/context.ts';
import { grouped } from '../program/counted.ts';
import { table } from '../program/table.ts';
import { isLineQuery, openLoki } from '../stack/loki/client.ts';
import { type LokiOptions, lokiUrl, sinceMs, withLokiOptions } from '../stack/loki/options.ts';
import { compareNs, type Labels, type LogLine, millisecondsOf, type Series } from '../stack/loki/result.ts';
import { substitute } from './boards/substitute.ts';

interface Options extends LokiOptions {
  readonly query: string;
  readonly since: string;
}

const mostLines = 1000;
/** Characters of a printed line. `--json` prints whole lines. */
const longestLine = 4096;

interface Line {
  readonly time: string;
  readonly labels: Labels;
  readonly line: string;
}

type QueryDocument = { readonly from: string; readonly to: string } & (
  | { readonly kind: 'lines'; readonly lines: readonly Line[]; readonly isCut: boolean }
  | { readonly kind: 'values'; readonly values: readonly { readonly labels: Labels; readonly value: number }[] }
);

const timeText = (at: number): string => new Date(at).toISOString();
const lineOf = ({ ns, labels, line }: LogLine): Line => ({ time: timeText(millisecondsOf({ ns })), labels, line });
const rowOf = ({ labels, samples }: Series) => ({ labels, value: samples.at(-1)?.value ?? 0 });

async function run({ query, since, ...options }: Options, context: Context): Promise<QueryDocument> {
  const rangeMs = sinceMs(since);
  const now = context.now();
  const loki = openLoki(lokiUrl(options, context), context.signal);
  const scope = { rangeMs, stepMs: rangeMs, isInstant: true, variables: [], chosen: {} };
  const logql = substitute(query, scope);
  const start = now - rangeMs;
  const result = isLineQuery(logql)
    ? await loki.queryRange(logql, { start, end: now + 1, limit: mostLines })
    : await loki.query(logql, now);
  const range = { from: timeText(start), to: timeText(now) };
  if (result.kind === 'series') return { ...range, kind: 'values', values: result.series.map(rowOf) };
  const lines = result.lines.toSorted((one, other) => compareNs(one.ns, other.ns)).map(lineOf);
  return { ...range, kind: 'lines', lines, isCut: lines.length >= mostLines };
}

const labelsText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, text]) => `${name}=${text}`)
    .join(' ');

export const definition = command<Options, QueryDocument>({
  description:
    'Prints the lines that a LogQL query finds, the newest last, or the values of a metric query at the end of the range. ' +
    '`$__range` in the query is the length of the range.',
  examples: [
    { line: `guardcli dashboard query '{app="request-guard"} | client_ip="192.0.2.1"'`, note: 'what an address did' },
    {
      line: `guardcli dashboard query 'sum by (gateway) (count_over_time({action="blocked"}[$__range]))' --since 24h`,
      note: 'how much each gateway blocked',
    },
  ],
  configure: (parser) =>
    withLokiOptions(
      parser
        .argument('<query>', 'a query in LogQL')
        .option('--since <time>', 'the range: the last 24h, 90m, 7d and so on', '1h'),
    ),
  run,
  text: (result) => {
    if (result.kind === 'lines')
      return result.lines.map(({ time, line }) => `${time} ${printable(line.slice(0, longestLine))}`).join('\n');
    const rows = result.values.map(({ labels, value }) => [printable(labelsText(labels)), grouped(value, 3)]);
    return table(rows, { indent: '', right: [1] }).join('\n');
  },
  notes: (result) => {
    if (result.kind === 'values') return result.values.length === 0 ? 'the query has no result' : '';
    if (result.isCut) return `only the newest ${mostLines} lines are shown: choose a shorter --since`;
    return result.lines.length === 0 ? `no line since ${result.from}` : '';
  },
});
