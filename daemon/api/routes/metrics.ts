import type { IntakeStats, ServiceStats, TableStats } from '../../stats/stats.ts';
import { textAnswer } from '../answer.ts';
import type { ApiContext, Route } from '../call.ts';
import type { DaemonControl } from '../daemon-control.ts';
import { uptimeSeconds } from '../records.ts';

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];

type Metric = readonly [name: string, help: string, samples: (context: ApiContext) => readonly Sample[]];

const singleSample =
  (value: (context: ApiContext) => number) =>
  (context: ApiContext): Sample[] => [[{}, value(context)]];

const serviceSamples =
  (key: keyof ServiceStats, labels: Labels = {}) =>
  ({ control }: ApiContext): Sample[] =>
    Object.entries(control.stats()).map(([service, stats]) => [{ service, ...labels }, stats[key]]);

const tableSamples =
  (key: keyof TableStats) =>
  ({ control }: ApiContext): Sample[] =>
    Object.entries(control.tables()).map(([table, stats]) => [{ table }, stats[key]]);

const intakeSamples =
  (key: keyof IntakeStats & ('lines' | 'behind_bytes')) =>
  ({ control }: ApiContext): Sample[] =>
    control.intake().map(({ source, format, ...counts }) => [{ source, format }, counts[key]]);

/** What became of the clients that lines name. */
const intakeOutcomes = ['counted', 'ignored', 'exempt', 'late', 'unforwarded'] as const;

const feedSamples =
  (value: (state: ReturnType<NonNullable<DaemonControl['feed']>['state']>) => number) =>
  ({ control }: ApiContext): Sample[] =>
    control.feed ? [[{}, value(control.feed.state())]] : [];

/** Every metric, in the order of the response. The name of a counter ends in `_total`. */
const metricTable: readonly Metric[] = [
  ['build_info', 'Version of the daemon.', ({ control: { version } }) => [[{ version }, 1]]],
  ['uptime_seconds', 'Seconds since the start.', singleSample(({ control, now }) => uptimeSeconds(control, now()))],
  ['serving', '1 while connections are accepted.', singleSample(({ control }) => Number(control.isServing()))],
  ['problems', 'Problems of the daemon; /health lists them.', singleSample(({ control }) => control.problems().length)],
  ['connections_active', 'Open connections.', serviceSamples('active_connections')],
  ['connections_allowed_total', 'Admitted connections.', serviceSamples('total_allowed')],
  ['connections_blocked_total', 'Refused connections.', serviceSamples('total_blocked')],
  [
    'bytes_total',
    'Relayed bytes: in from clients, out to clients.',
    (context) => [
      ...serviceSamples('bytes_in', { direction: 'in' })(context),
      ...serviceSamples('bytes_out', { direction: 'out' })(context),
    ],
  ],
  [
    'kernel_dropped_packets_total',
    'Packets of banned clients that the kernel dropped.',
    singleSample(({ control }) => control.kernelBans().dropped),
  ],
  ['bans', 'Active bans.', singleSample(({ control }) => control.bans.count())],
  [
    'detected_bans',
    'Bans that bans.mode detect does not enforce.',
    singleSample(({ control }) => control.bans.detectedCount()),
  ],
  [
    'edge_bans_refused_total',
    'Bans of addresses of CDNs and load balancers that were refused.',
    singleSample(({ control }) => control.bans.sparedEdges()),
  ],
  ['failures_tracked', 'Addresses with counted failures.', singleSample(({ control }) => control.failures.size())],
  ['table_entries', 'Entries of a bounded table.', tableSamples('entries')],
  ['table_capacity', 'Capacity of a bounded table.', tableSamples('capacity')],
  ['intake_lines_total', 'Lines of a source of the intake.', intakeSamples('lines')],
  [
    'intake_outcomes_total',
    'What became of the failures in the lines of a source.',
    ({ control }) =>
      control
        .intake()
        .flatMap(({ source, format, ...counts }) =>
          intakeOutcomes.map((outcome): Sample => [{ source, format, outcome }, counts[outcome]]),
        ),
  ],
  ['intake_behind_bytes', 'Bytes of the files of a source that are not read yet.', intakeSamples('behind_bytes')],
  [
    'port_scan_unattributed_total',
    'Probes that were reset before the address of their client was known.',
    ({ control }) => {
      const count = control.unattributedProbes();
      return count === undefined ? [] : [[{}, count]];
    },
  ],
  ['feed_decisions', 'Active decisions of the threat feed.', feedSamples(({ decisions }) => decisions)],
  ['feed_healthy', '1 if the last poll succeeded.', feedSamples(({ status }) => Number(status === 'healthy'))],
  [
    'push_dropped_total',
    'Bans dropped before they were sent to the LAPI.',
    ({ control: { push } }) => (push ? [[{}, push.dropped()]] : []),
  ],
  [
    'audit_dropped_total',
    'Audit records that could not be written.',
    singleSample(({ control }) => control.audit.dropped()),
  ],
  ['event_readers', 'Readers of the event stream.', singleSample(({ hub }) => hub.readers())],
];

const escapeLabel = (text: string): string => text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');

function sampleLine(name: string, [labels, value]: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
}

/** A metric without samples is omitted. */
function metricText([short, help, samples]: Metric, context: ApiContext): string {
  const type = short.endsWith('_total') ? 'counter' : 'gauge';
  const name = `tcp_guard_${short}`;
  const lines = samples(context).map((sample) => sampleLine(name, sample));
  return lines.length > 0 ? `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}` : '';
}

export const metrics: Route<'metrics'> = async (context) => {
  await context.control.refreshCounts();
  const text = metricTable.map((metric) => metricText(metric, context)).join('');
  return textAnswer(text, 'text/plain; version=0.0.4; charset=utf-8');
};
