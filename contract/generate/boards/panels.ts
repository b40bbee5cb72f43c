/** Functions for each kind of panel in Grafana's classic JSON. `dashboard watch` reads the same JSON. */
import { FieldColorModeId, ThresholdsMode } from '@grafana/schema';
import {
  type Described,
  fieldOptions,
  fixedColorMode,
  instantQuery,
  noEvents,
  outcomeColors,
  rangeQuery,
  seriesColors,
  thresholdSteps,
} from './fields.ts';
import { zeroQuery } from './logql.ts';
import type { PanelRow } from './model.ts';

/** One number, in the color of `outcome` unless it is 0. */
export const stat = ({ expr, outcome, ...row }: Described & { expr: string; outcome: string }): PanelRow => ({
  ...row,
  type: 'stat',
  // The second query returns 0, so a panel without events shows 0. Only a failed query leaves it empty.
  targets: [...instantQuery(expr), ...instantQuery(zeroQuery).map((target) => ({ ...target, refId: 'B' }))],
  transformations: [{ id: 'reduce', options: { mode: 'seriesToRows', reducers: ['sum'] } }],
  fieldConfig: fieldOptions({
    color: { mode: FieldColorModeId.Thresholds },
    thresholds: thresholdSteps(ThresholdsMode.Absolute, [null, 'text'], [1, outcomeColors[outcome] as string]),
    noValue: 'no data',
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
export const newestLine = ({ expr, none = noEvents, ...row }: Described & { expr: string }): PanelRow => ({
  ...row,
  type: 'stat',
  targets: rangeQuery(expr, '').map((target) => ({ ...target, maxLines: 1 })),
  fieldConfig: fieldOptions({ color: fixedColorMode('text'), unit: 'dateTimeFromNow', noValue: none }),
  options: {
    reduceOptions: { calcs: ['lastNotNull'], fields: '/^(?:Time|timestamp)$/', values: false },
    ...{ textMode: 'value', colorMode: 'value', graphMode: 'none' },
  },
});

/** Stacked bars over time. `legend` is a template of labels. */
export const timeline = ({
  expr,
  legend,
  none = noEvents,
  ...row
}: Described & { expr: string; legend: string }): PanelRow => ({
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
      noValue: none,
    },
    seriesColors,
  ),
  options: {
    legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: ['sum'] },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
});

/** For each label, the link that its values have. */
const linksOf: Readonly<Record<string, { title: string; url: string }>> = {
  client_ip: {
    title: 'Investigate this address',
    url: '/d/guard-address?var-address=${__data.fields.client_ip:percentencode}&${__url_time_range}',
  },
  rule_id: {
    title: 'Only this rule',
    url: '/d/guard-overview?var-rule=${__data.fields.rule_id:percentencode}&${__url_time_range}',
  },
  service: {
    title: 'Only this service',
    url: '/d/guard-layer4?var-service=${__data.fields.service:percentencode}&${__url_time_range}',
  },
};

const links = (label: string) => (linksOf[label] ? [{ ...linksOf[label], targetBlank: false }] : []);

/** Horizontal bars, one for each value of a label, in the color of the counted outcome. */
export const bars = ({
  expr,
  label,
  outcome = '',
  none = noEvents,
  ...row
}: Described & { expr: string; label: string; outcome?: string }): PanelRow => ({
  ...row,
  type: 'bargauge',
  targets: instantQuery(expr),
  fieldConfig: fieldOptions(
    {
      color: fixedColorMode(outcomeColors[outcome] ?? 'blue'),
      displayName: `\${__data.fields.${label}}`,
      links: links(label),
      min: 0,
      noValue: none,
    },
    seriesColors,
  ),
  options: {
    reduceOptions: { calcs: ['lastNotNull'], fields: '', values: true, limit: 25 },
    orientation: 'horizontal',
    displayMode: 'basic',
    valueMode: 'text',
    namePlacement: 'left',
    showUnfilled: false,
    // Without these bounds, a single bar would be as high as the panel.
    ...{ sizing: 'manual', minVizHeight: 16, maxVizHeight: 24, minVizWidth: 8 },
    text: { titleSize: 13, valueSize: 13 },
  },
});

export const table = ({
  expr,
  labels,
  none = noEvents,
  ...row
}: Described & { expr: string; labels: readonly string[] }): PanelRow => ({
  ...row,
  type: 'table',
  targets: instantQuery(expr),
  fieldConfig: fieldOptions(
    { custom: { align: 'auto', filterable: true }, noValue: none },
    labels
      .filter((label) => linksOf[label])
      .map((label) => ({
        matcher: { id: 'byName', options: label },
        properties: [{ id: 'links', value: links(label) }],
      })),
  ),
  transformations: [
    {
      id: 'organize',
      options: {
        excludeByName: { Time: true },
        indexByName: Object.fromEntries([...labels, 'Value #A'].map((name, at) => [name, at])),
        renameByName: { 'Value #A': 'events' },
      },
    },
  ],
  options: { showHeader: true, cellHeight: 'sm', sortBy: [{ displayName: 'events', desc: true }] },
});

export const logs = ({ expr, none = noEvents, ...row }: Described & { expr: string }): PanelRow => ({
  ...row,
  type: 'logs',
  targets: rangeQuery(expr, '').map((target) => ({ ...target, maxLines: 500 })),
  fieldConfig: fieldOptions({ noValue: none }),
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
export const map = ({
  expr,
  label,
  none = noEvents,
  ...row
}: Described & { expr: string; label: string }): PanelRow => ({
  ...row,
  type: 'geomap',
  targets: instantQuery(expr),
  fieldConfig: fieldOptions({
    color: { mode: FieldColorModeId.Thresholds },
    noValue: none,
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
