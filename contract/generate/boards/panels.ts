/** Functions for each kind of panel in Grafana's classic JSON. `dashboard watch` reads the same JSON. */
import { FieldColorModeId, ThresholdsMode } from '@grafana/schema';
import {
  type Described,
  fieldOptions,
  fixedColorMode,
  instantQuery,
  outcomeColors,
  rangeQuery,
  seriesColors,
  thresholdSteps,
} from './fields.ts';
import { boardVariables, type PanelRow } from './model.ts';

/** One number, in the color of `outcome` unless it is 0. */
export const stat = ({ expr, outcome, ...row }: Described & { expr: string; outcome: string }): PanelRow => ({
  ...row,
  type: 'stat',
  targets: instantQuery(expr),
  transformations: [{ id: 'reduce', options: { mode: 'seriesToRows', reducers: ['sum'] } }],
  fieldConfig: fieldOptions({
    color: { mode: FieldColorModeId.Thresholds },
    thresholds: thresholdSteps(ThresholdsMode.Absolute, [null, 'text'], [1, outcomeColors[outcome] as string]),
  }),
  options: {
    reduceOptions: { calcs: ['sum'], fields: '', values: false },
    ...{ textMode: 'value', colorMode: 'value', graphMode: 'none' },
  },
});

/**
 * Shows how long ago the newest line was. Grafana names the field of the time `Time` or, in newer versions,
 * `timestamp`.
 */
export const newestLine = ({ expr, ...row }: Described & { expr: string }): PanelRow => ({
  ...row,
  type: 'stat',
  targets: rangeQuery(expr, '').map((target) => ({ ...target, maxLines: 1 })),
  fieldConfig: fieldOptions({ color: fixedColorMode('text'), unit: 'dateTimeFromNow' }),
  options: {
    reduceOptions: { calcs: ['lastNotNull'], fields: '/^(?:Time|timestamp)$/', values: false },
    ...{ textMode: 'value', colorMode: 'value', graphMode: 'none' },
  },
});

/** Stacked bars over time. `legend` is a template of labels. */
export const timeline = ({ expr, legend, ...row }: Described & { expr: string; legend: string }): PanelRow => ({
  ...row,
  type: 'timeseries',
  interval: '15s',
  maxDataPoints: 200,
  targets: rangeQuery(expr, legend),
  fieldConfig: fieldOptions(
    {
      // The mode `palette-classic-by-name` would give all series one color, because the field of each is named Value.
      color: { mode: FieldColorModeId.PaletteClassic },
      custom: { drawStyle: 'bars', fillOpacity: 80, lineWidth: 0, stacking: { mode: 'normal', group: 'A' } },
      min: 0,
      // Grafana would write the text also beside the axis. The panel says itself that there is no data.
      noValue: '',
    },
    seriesColors(legend),
  ),
  options: {
    // Without sums: the first bar covers a step of which a part is before the range, so they would exceed the totals.
    legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
});

/** The variables of the dashboard that a link keeps: all but the one that it sets. */
const keptVariables = (set: string): string =>
  boardVariables
    .filter((name) => name !== set)
    .map((name) => `\${${name}:queryparam}&`)
    .join('');

/** A link to a dashboard with one more filter. `value` is an expression of Grafana. */
const filterUrl = (uid: string, variable: string, value: string): string =>
  `/d/${uid}?${keptVariables(variable)}var-${variable}=${value}&\${__url_time_range}`;

/** Quotes a value for a variable that is a regular expression (RE2): `\Q` and `\E`, percent-encoded. */
const quotedField = (label: string): string => `%5CQ\${__data.fields.${label}:percentencode}%5CE`;

/** For each label, the link that its values have. */
const linksOf: Readonly<Record<string, { title: string; url: string }>> = {
  client_ip: {
    title: 'Investigate this address',
    url: filterUrl('guard-address', 'address', quotedField('client_ip')),
  },
  rule_id: { title: 'Only this rule', url: filterUrl('guard-overview', 'rule', quotedField('rule_id')) },
  // The variable is a list, whose values Grafana quotes.
  service: {
    title: 'Only this service',
    url: filterUrl('guard-layer4', 'service', '${__data.fields.service:percentencode}'),
  },
};

const links = (label: string) => (linksOf[label] ? [{ ...linksOf[label], targetBlank: false }] : []);

/**
 * Grafana cuts off names beside the bar at 40 % of the panel. Only those of countries fit in every panel. It measures a
 * name with 12 pixels, whatever `titleSize` says.
 */
const placementOf = (label: string) =>
  label === 'country'
    ? ({ namePlacement: 'left', minVizHeight: 16, maxVizHeight: 24 } as const)
    : ({ namePlacement: 'top', minVizHeight: 24, maxVizHeight: 32 } as const);

/** Horizontal bars, one for each value of a label, in the color of the counted outcome. */
export const bars = ({
  expr,
  label,
  outcome = '',
  ...row
}: Described & { expr: string; label: string; outcome?: string }): PanelRow => ({
  ...row,
  type: 'bargauge',
  targets: instantQuery(expr),
  fieldConfig: fieldOptions({
    color: fixedColorMode(outcomeColors[outcome] ?? 'blue'),
    displayName: `\${__data.fields.${label}}`,
    links: links(label),
    min: 0,
  }),
  options: {
    reduceOptions: { calcs: ['lastNotNull'], fields: '', values: true, limit: 25 },
    orientation: 'horizontal',
    displayMode: 'basic',
    valueMode: 'text',
    showUnfilled: false,
    // Without these bounds, a single bar would be as high as the panel.
    ...{ sizing: 'manual', minVizWidth: 8, ...placementOf(label) },
    text: { titleSize: 12, valueSize: 12 },
  },
});

export const table = ({ expr, labels, ...row }: Described & { expr: string; labels: readonly string[] }): PanelRow => ({
  ...row,
  type: 'table',
  targets: instantQuery(expr),
  fieldConfig: fieldOptions(
    // Grafana's own minimum of 150 pixels would push columns out of the panel.
    { custom: { align: 'auto', filterable: true, minWidth: 60 } },
    labels.map((label) => ({
      matcher: { id: 'byName', options: label },
      // An event without this label has an empty cell.
      properties: [{ id: 'noValue', value: '' }, ...(linksOf[label] ? [{ id: 'links', value: links(label) }] : [])],
    })),
  ),
  transformations: [
    {
      id: 'organize',
      options: {
        excludeByName: { Time: true },
        // The count is second, so that it is never cut off at the right.
        indexByName: Object.fromEntries(labels.toSpliced(1, 0, 'Value #A').map((name, at) => [name, at])),
        renameByName: { 'Value #A': 'events' },
      },
    },
  ],
  options: { showHeader: true, cellHeight: 'sm', sortBy: [{ displayName: 'events', desc: true }] },
});

/** Without the label `level`, Grafana guesses a level from the words of a line. */
const withLevel = (expr: string): string => `${expr} | label_format level=\`{{.severity_text | default "unknown"}}\``;

export const logs = ({ expr, ...row }: Described & { expr: string }): PanelRow => ({
  ...row,
  type: 'logs',
  targets: rangeQuery(withLevel(expr), '').map((target) => ({ ...target, maxLines: 500 })),
  fieldConfig: fieldOptions({}),
  options: {
    showTime: true,
    showLabels: false,
    wrapLogMessage: true,
    enableLogDetails: true,
    prettifyLogMessage: false,
    dedupStrategy: 'none',
    sortOrder: 'Descending',
  },
});

/** Circles on a world map. Grafana has the borders itself, so the browser loads no map tiles. */
export const map = ({ expr, label, ...row }: Described & { expr: string; label: string }): PanelRow => ({
  ...row,
  type: 'geomap',
  targets: instantQuery(expr),
  fieldConfig: fieldOptions({
    color: { mode: FieldColorModeId.Thresholds },
    thresholds: thresholdSteps(ThresholdsMode.Percentage, [null, 'yellow'], [33, 'orange'], [66, 'red']),
  }),
  options: {
    // Shows the inhabited latitudes. At zoom 1 a panel would show the world twice.
    view: { id: 'coords', lat: 30, lon: 10, zoom: 1.9, noRepeat: true },
    controls: { showZoom: true, mouseWheelZoom: false, showAttribution: false },
    tooltip: { mode: 'details' },
    // Loads no tiles, because browsers do not reach zoom 30.
    basemap: { type: 'xyz', name: 'No tiles', config: { url: 'about:blank', attribution: '', minZoom: 30 } },
    layers: [
      {
        type: 'geojson',
        name: 'Borders',
        config: { src: 'public/maps/countries.geojson', style: { color: { fixed: 'text' }, opacity: 0.15 } },
      },
      {
        type: 'markers',
        name: 'Events',
        location: { mode: 'lookup', lookup: label, gazetteer: 'public/gazetteer/countries.json' },
        config: {
          showLegend: false,
          style: {
            color: { field: 'Value #A', fixed: 'red' },
            opacity: 0.6,
            size: { field: 'Value #A', fixed: 6, min: 4, max: 30 },
            symbol: { mode: 'fixed', fixed: 'img/icons/marker/circle.svg' },
          },
        },
        tooltip: true,
      },
    ],
  },
});
