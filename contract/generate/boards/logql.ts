/** LogQL of the dashboards. Names of labels and metadata are those that the collector sets. */

/** What can happen to a request or a connection; `unparsed` is a line that is not an event. */
export const outcomes = ['blocked', 'detected', 'auth_failure', 'banned', 'unbanned', 'allowed', 'unparsed'] as const;
export type Outcome = (typeof outcomes)[number];

/** `step` is the time between two points of a chart, `range` all that the dashboard shows. */
const windows = { step: '$__auto', range: '$__range' } as const;

export interface Events {
  readonly outcomes?: readonly Outcome[];
  /** Further matchers of labels, such as `gateway="tcp-guard"`. */
  readonly labels?: readonly string[];
  /** Filters of metadata, such as `path!=""`. */
  readonly where?: readonly string[];
}

const among = (values: readonly string[]): string =>
  values.length === 1 ? `action="${values[0]}"` : `action=~"${values.join('|')}"`;

/** Records, restricted to what the variables of the dashboard select. */
export function records({ outcomes: wanted = [], labels = [], where = [] }: Events): string {
  const matchers = [
    'app="request-guard"',
    ...(wanted.length > 0 ? [among(wanted)] : []),
    ...labels,
    'gateway=~"$gateway"',
    'service=~"$service"',
  ];
  const filters = [...where, 'rule_id=~`$rule`', 'client_ip=~`$address`'];
  return [`{${matchers.join(', ')}}`, ...filters].join(' | ');
}

/** The number of events: a record counts as often as its `count` says. */
export function count(events: Events, by: readonly string[], window: keyof typeof windows): string {
  const grouping = by.length > 0 ? ` by (${by.join(', ')})` : '';
  return `sum${grouping} (sum_over_time(${records(events)} | unwrap count [${windows[window]}]))`;
}

/** Empty where there are none: `or vector(0)` would keep Loki from splitting the query. */
export const total = (events: Events): string => count(events, [], 'range');

/** The most frequent values of labels or metadata; records without the first one are left out. */
export function most(limit: number, { where = [], ...events }: Events, by: readonly [string, ...string[]]): string {
  const named = { ...events, where: [`${by[0]}!=""`, ...where] };
  return `sort_desc(topk(${limit}, ${count(named, by, 'range')}))`;
}

/** As `most`, over time. */
export function mostOverTime(limit: number, { where = [], ...events }: Events, by: string): string {
  return `topk(${limit}, ${count({ ...events, where: [`${by}!=""`, ...where] }, [by], 'step')})`;
}

/** A result that Loki computes without reading anything. */
export const zero = 'vector(0)';

/** An event as one line, as the terminal shows it. A line that is not an event has no address, and remains unchanged. */
export const formatted = (events: Events): string =>
  `${records(events)} | line_format \`{{if .client_ip}}{{.action}} {{.gateway}} {{.service}} {{.client_ip}}{{if .method}} {{.method}} {{.path}}{{end}} {{.rule_id}}{{if .reference}} {{.reference}}{{end}}{{else}}{{__line__}}{{end}}\``;
