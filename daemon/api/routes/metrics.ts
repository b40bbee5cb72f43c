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

/** Every metric, in the order of the response. */
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
    help: '1 while connections are accepted.',
    samples: single(({ control }) => Number(control.isServing())),
  },
  {
    name: 'problems',
    type: 'gauge',
    help: 'Problems of the daemon; /health lists them.',
    samples: single(({ control }) => control.problems().length),
  },
  { name: 'connections_active', type: 'gauge', help: 'Open connections.', samples: ofServices('active_connections') },
  {
    name: 'connections_allowed_total',
    type: 'counter',
    help: 'Admitted connections.',
    samples: ofServices('total_allowed'),
  },
  {
    name: 'connections_blocked_total',
    type: 'counter',
    help: 'Refused connections.',
    samples: ofServices('total_blocked'),
  },
  {
    name: 'bytes_total',
    type: 'counter',
    help: 'Relayed bytes: in from clients, out to clients.',
    samples: (context) => [
      ...ofServices('bytes_in', { direction: 'in' })(context),
      ...ofServices('bytes_out', { direction: 'out' })(context),
    ],
  },
  { name: 'bans', type: 'gauge', help: 'Active bans.', samples: single(({ control }) => control.bans.count()) },
  {
    name: 'failures_tracked',
    type: 'gauge',
    help: 'Addresses with counted failures.',
    samples: single(({ control }) => control.failures.size()),
  },
  { name: 'table_entries', type: 'gauge', help: 'Entries of a bounded table.', samples: ofTables('entries') },
  { name: 'table_capacity', type: 'gauge', help: 'Capacity of a bounded table.', samples: ofTables('capacity') },
  {
    name: 'feed_decisions',
    type: 'gauge',
    help: 'Active decisions of the threat feed.',
    samples: ofFeed(({ decisions }) => decisions),
  },
  {
    name: 'feed_healthy',
    type: 'gauge',
    help: '1 if the last poll succeeded.',
    samples: ofFeed(({ status }) => Number(status === 'healthy')),
  },
  {
    name: 'push_dropped_total',
    type: 'counter',
    help: 'Bans dropped before they were sent to the LAPI.',
    samples: ({ control: { push } }) => (push ? [[{}, push.dropped()]] : []),
  },
  {
    name: 'audit_dropped_total',
    type: 'counter',
    help: 'Audit records that could not be written.',
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

/** A metric without samples is omitted. */
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
