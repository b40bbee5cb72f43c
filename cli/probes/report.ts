/** The result of a probe set: its `--json` document and its text. */
import { printable } from '../../platform/escape.ts';
import { counted, grouped } from '../program/counted.ts';
import type { Paint } from '../program/paint.ts';
import { type Row, table } from '../program/table.ts';
import { type ProbeSource, probeSources, type Skipped } from './probe.ts';

export interface ProbeResult {
  readonly id: string;
  readonly source: ProbeSource;
  readonly description: string;
  readonly ok: boolean;
  /** The request lines, escaped, or a description of the action. */
  readonly request: string;
  /** Outcome in words. */
  readonly expected: string;
  readonly got: string;
  readonly problems: readonly string[];
  /** The sent bytes, escaped and shortened. Only for failures, and not for every source. */
  readonly sent?: string;
  /** A command line that repeats the requests, or the URL for a browser. Only for failures. */
  readonly repeat?: string;
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface ProbeReport {
  readonly ok: boolean;
  readonly counts: Counts;
  /** In the order of display. */
  readonly bySource: Readonly<Partial<Record<ProbeSource, Counts>>>;
  readonly milliseconds: number;
  readonly results: readonly ProbeResult[];
  readonly skipped: readonly Skipped[];
}

const sourceTitles: Readonly<Record<ProbeSource, string>> = {
  specification: 'specification',
  match: 'a match for each rule',
  near_miss: 'a near miss for each rule',
  upgrade: 'upgrades of the connection',
  banned: 'clients of the ban list',
  wire: 'the response on the wire',
  vector: 'conformance requests',
  browser: 'pages in a browser',
  relay: 'relayed traffic',
  gate: 'refused clients',
  login: 'failed logins',
  ban: 'bans',
  api: 'the management API',
  case: 'cases of a suite',
};

function countResults(results: readonly ProbeResult[], skipped: readonly Skipped[]): Counts {
  const passed = results.filter(({ ok }) => ok).length;
  return { passed, failed: results.length - passed, skipped: skipped.length };
}

export function createReport(
  results: readonly ProbeResult[],
  skipped: readonly Skipped[],
  milliseconds: number,
  sources: readonly ProbeSource[] = probeSources,
): ProbeReport {
  const of = (source: ProbeSource): Counts =>
    countResults(
      results.filter((row) => row.source === source),
      skipped.filter((row) => row.source === source),
    );
  const bySource = Object.fromEntries(sources.map((source) => [source, of(source)]));
  const counts = countResults(results, skipped);
  return { ok: counts.failed === 0 && counts.passed > 0, counts, bySource, milliseconds, results, skipped };
}

/** Number of failures in the text. The JSON report contains all failures. */
const shownFailures = 20;
const longestCommandLine = 4000;

const shownCommandLine = (repeat: string): string =>
  repeat.length <= longestCommandLine ? repeat : `a command line of ${repeat.length} bytes; --json has it`;

function failureText(result: ProbeResult, paint: Paint): string {
  const rows = [
    `${paint('red', 'FAILED')} ${paint('bold', result.id)}  ${result.description}`,
    ...result.problems.map((problem) => `  ${printable(problem)}`),
    `  expected  ${result.expected}`,
    `  got       ${result.got}`,
    ...(result.sent === undefined ? [] : [`  sent      ${result.sent}`]),
    ...(result.repeat === undefined ? [] : [`  again     ${shownCommandLine(result.repeat)}`]),
  ];
  return rows.join('\n');
}

export function failuresText({ results, counts }: ProbeReport, paint: Paint): string {
  const failures = results.filter(({ ok }) => !ok);
  const shown = failures.slice(0, shownFailures).map((result) => failureText(result, paint));
  const hidden = counts.failed - shown.length;
  return [...shown, ...(hidden > 0 ? [`... and ${counted(hidden, 'more failure')}; --json shows them all`] : [])].join(
    '\n',
  );
}

/** Lists skipped probes by reason, the most frequent reason first. */
export function skippedText({ skipped }: ProbeReport, paint: Paint): string {
  const byReason = Object.entries(Object.groupBy(skipped, ({ reason }) => reason));
  const rows = byReason.sort(([, a = []], [, b = []]) => b.length - a.length);
  return rows
    .map(([reason, list = []]) => {
      const names = list.slice(0, 3).map(({ id }) => id.replace(/^[a-z_]+:/, ''));
      const more = list.length > names.length ? ', ...' : '';
      return paint('dim', `skipped ${grouped(list.length)}: ${printable(reason)} (${names.join(', ')}${more})`);
    })
    .join('\n');
}

const countNames = ['passed', 'failed', 'skipped'] as const;

function countCell(name: keyof Counts, value: number, paint: Paint): string {
  if (value === 0 || name === 'skipped') return grouped(value);
  return paint(name === 'failed' ? 'red' : 'green', grouped(value));
}

export function tableText({ bySource, counts }: ProbeReport, paint: Paint): string {
  const row = (title: string, of: Counts): Row => [
    title,
    ...countNames.map((name) => countCell(name, of[name], paint)),
  ];
  const rows = Object.entries(bySource).map(([source, of]) => row(sourceTitles[source as ProbeSource], of));
  const head = ['', ...countNames.map((name) => paint('dim', name))];
  return table([head, ...rows, row('all', counts)], { indent: '', right: [1, 2, 3] }).join('\n');
}
