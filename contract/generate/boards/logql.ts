/** Writes LogQL for the dashboards. The collector sets the labels and metadata. */

import { outcomes as eventOutcomes } from '../../events/members.ts';

/** Values of the label `action`. `unparsed`: the line is not an event. */
export const outcomes = [...eventOutcomes, 'unparsed'] as const;
export type Outcome = (typeof outcomes)[number];

/**
 * Time ranges of queries: `step` is the time between two points of a chart, `range` the whole time of the dashboard.
 */
const windows = { step: '$__auto', range: '$__range' } as const;

export interface Events {
  readonly outcomes?: readonly Outcome[];
  /** Additional matchers of labels, such as `gateway="tcp-guard"`. */
  readonly labels?: readonly string[];
  /** Filters of metadata, such as `path!=""`. */
  readonly where?: readonly string[];
}

/** Events of tcp-guard, and of gateways. Loki finds them by label, so it does not read other records. */
export const connectionEvents = { labels: ['gateway="tcp-guard"'] } as const;
export const requestEvents = { labels: ['gateway!="tcp-guard"'] } as const;

const oneOf = (values: readonly string[]): string =>
  values.length === 1 ? `action="${values[0]}"` : `action=~"${values.join('|')}"`;

export function recordQuery({ outcomes: wanted = [], labels = [], where = [] }: Events): string {
  const matchers = [
    'app="request-guard"',
    ...(wanted.length > 0 ? [oneOf(wanted)] : []),
    ...labels,
    'gateway=~"$gateway"',
    'service=~"$service"',
  ];
  const filters = [...where, 'rule_id=~`$rule`', 'client_ip=~`$address`'];
  return [`{${matchers.join(', ')}}`, ...filters].join(' | ');
}

/** Returns the query for the number of events: the sum of `count` of the records. */
export function countQuery(events: Events, by: readonly string[], window: keyof typeof windows): string {
  const grouping = by.length > 0 ? ` by (${by.join(', ')})` : '';
  return `sum${grouping} (sum_over_time(${recordQuery(events)} | unwrap count [${windows[window]}]))`;
}

/**
 * Returns the query for the number of all events. Without events the result is empty, not 0. Loki could not split a
 * query with `or vector(0)`.
 */
export const totalQuery = (events: Events): string => countQuery(events, [], 'range');

/** Returns the query for the most frequent values of the labels, among the records that have the first label. */
export function topQuery(limit: number, { where = [], ...events }: Events, by: readonly [string, ...string[]]): string {
  const named = { ...events, where: [`${by[0]}!=""`, ...where] };
  return `sort_desc(topk(${limit}, ${countQuery(named, by, 'range')}))`;
}

/**
 * Returns the query for events as lines like those in the terminal. The summary of a flood has a count and no address. A
 * line without both is not an event, and stays unchanged.
 */
export const formattedQuery = (events: Events): string =>
  `${recordQuery(events)} | line_format \`{{if .client_ip}}{{.action}} {{.gateway}} {{.service}} {{.client_ip}}{{if .method}} {{.method}} {{.path}}{{end}} {{.rule_id}}{{if .reference}} {{.reference}}{{end}}{{else if .count}}{{.action}} {{.gateway}} {{.service}}: {{.count}} requests of a flood in one line{{else}}{{__line__}}{{end}}\``;
