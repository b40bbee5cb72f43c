import type { ServiceStats, TableStats } from '../../stats/stats.ts';
import { plain } from '../answer.ts';
import type { ApiContext, Route } from '../call.ts';
import type { DaemonControl } from '../daemon-control.ts';
import { uptimeSeconds } from '../uptime.ts';

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];

interface Metric {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  readonly samples: (context: ApiContext) => readonly Sample[];
}

const single =
  (value: (context: ApiContext) => number) =>
  (context: ApiContext): Sample[] => [[{}, value(context)]];

const ofServices =
  (key: keyof ServiceStats, labels: Labels = {}) =>
  ({ control }: ApiContext): Sample[] =>
    Object.entries(control.stats()).map(([service, stats]) => [{ service, ...labels }, stats[key]]);

const ofTables =
  (key: keyof TableStats) =>
  ({ control }: ApiContext): Sample[] =>
    Object.entries(control.tables()).map(([table, stats]) => [{ table }, stats[key]]);

const ofFeed =
  (value: (state: ReturnType<NonNullable<DaemonControl['feed']>['state']>) => number) =>
  ({ control }: ApiContext): Sample[] =>
    control.feed ? [[{}, value(control.feed.state())]] : [];

/** Every metric, in the order of the answer. */
const metricTable: readonly Metric[] = [
  {
    name: 'build_info',
    type: 'gauge',
    help: 'Version of the daemon.',
    samples: ({ control: { version } }) => [[{ version }, 1]],
  },
  {
    name: 'uptime_seconds',
    type: 'gauge',
    help: 'Seconds since the start.',
    samples: single(({ control, now }) => uptimeSeconds(control, now())),
  },
  {
    name: 'serving',
    type: 'gauge',
    help: '1: connections are accepted.',
    samples: single(({ control }) => Number(control.isServing())),
  },
  {
    name: 'problems',
    type: 'gauge',
    help: 'Parts that are ill; /health names them.',
    samples: single(({ control }) => control.problems().length),
  },
  { name: 'connections_active', type: 'gauge', help: 'Connections now.', samples: ofServices('active_connections') },
  {
    name: 'connections_allowed_total',
    type: 'counter',
    help: 'Connections let through.',
    samples: ofServices('total_allowed'),
  },
  {
    name: 'connections_blocked_total',
    type: 'counter',
    help: 'Connections refused.',
    samples: ofServices('total_blocked'),
  },
  {
    name: 'bytes_total',
    type: 'counter',
    help: 'Bytes relayed: in from clients, out to them.',
    samples: (context) => [
      ...ofServices('bytes_in', { direction: 'in' })(context),
      ...ofServices('bytes_out', { direction: 'out' })(context),
    ],
  },
  { name: 'bans', type: 'gauge', help: 'Bans that hold.', samples: single(({ control }) => control.bans.count()) },
  {
    name: 'failures_tracked',
    type: 'gauge',
    help: 'Addresses whose failures are counted.',
    samples: single(({ control }) => control.failures.size()),
  },
  { name: 'table_entries', type: 'gauge', help: 'Entries of a bounded table.', samples: ofTables('entries') },
  { name: 'table_capacity', type: 'gauge', help: 'Most entries of it.', samples: ofTables('capacity') },
  {
    name: 'feed_decisions',
    type: 'gauge',
    help: 'Decisions of the threat feed.',
    samples: ofFeed(({ decisions }) => decisions),
  },
  {
    name: 'feed_healthy',
    type: 'gauge',
    help: '1: the last poll succeeded.',
    samples: ofFeed(({ status }) => Number(status === 'healthy')),
  },
  {
    name: 'push_dropped_total',
    type: 'counter',
    help: 'Own bans that the decision service was never told of.',
    samples: ({ control: { push } }) => (push ? [[{}, push.dropped()]] : []),
  },
  {
    name: 'audit_dropped_total',
    type: 'counter',
    help: 'Records that could not be written.',
    samples: single(({ control }) => control.audit.dropped()),
  },
  {
    name: 'event_readers',
    type: 'gauge',
    help: 'Readers of the event stream.',
    samples: single(({ hub }) => hub.readers()),
  },
];

const escaped = (text: string): string => text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');

function sampleLine(name: string, [labels, value]: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
}

/** A metric without samples is left out. */
function metricText({ name: short, type, help, samples }: Metric, context: ApiContext): string {
  const name = `tcp_guard_${short}`;
  const lines = samples(context).map((sample) => sampleLine(name, sample));
  return lines.length > 0 ? `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}` : '';
}

export const metrics: Route<'metrics'> = async (context) => {
  await context.control.recount();
  const text = metricTable.map((metric) => metricText(metric, context)).join('');
  return plain(text, 'text/plain; version=0.0.4; charset=utf-8');
};
