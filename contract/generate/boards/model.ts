/** Panels and boards in Grafana's classic JSON, from rows of tables. */
import {
  type Dashboard,
  FieldColorModeId,
  type FieldConfigSource,
  type Panel,
  ThresholdsMode,
  VariableHide,
  type VariableModel,
  VariableRefresh,
} from '@grafana/schema';

export const datasource = { type: 'loki', uid: 'guard-loki' } as const;

/** The columns of Grafana's grid. */
const gridWidth = 24;

/** A panel without its place: the table of a board gives the height of a row, and each panel its width. */
export interface PanelRow extends Omit<Panel, 'id' | 'gridPos' | 'title' | 'description'> {
  readonly title: string;
  readonly description: string;
  readonly width: number;
}

export interface Board {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly rows: readonly { readonly height: number; readonly panels: readonly PanelRow[] }[];
  /** Seconds between two refreshes. */
  readonly refresh: `${number}s` | `${number}m`;
}

/** Colors that Grafana adapts to its light and dark theme. */
const colors: Readonly<Record<string, string>> = {
  blocked: 'red',
  detected: 'orange',
  auth_failure: 'yellow',
  banned: 'purple',
  unbanned: 'blue',
  allowed: 'green',
  unparsed: 'text',
};

const fixed = (fixedColor: string) => ({ mode: FieldColorModeId.Fixed, fixedColor });

export const fields = (
  defaults: FieldConfigSource['defaults'],
  overrides: FieldConfigSource['overrides'] = [],
): FieldConfigSource => ({
  defaults: { unit: 'short', ...defaults },
  overrides,
});

/** Series that are named after an outcome have its color. */
const outcomeColors = Object.entries(colors).map(([name, color]) => ({
  matcher: { id: 'byName', options: name },
  properties: [{ id: 'color', value: fixed(color) }],
}));

type Described = Pick<PanelRow, 'title' | 'description' | 'width'>;

const instant = (expr: string) => [{ refId: 'A', datasource, expr, queryType: 'instant' }];
const range = (expr: string, legendFormat: string) => [
  { refId: 'A', datasource, expr, queryType: 'range', legendFormat },
];

const reduced = { calcs: ['lastNotNull'], fields: '' };

/** One number, in the color of an outcome. */
export const stat = ({ expr, outcome, ...row }: Described & { expr: string; outcome: string }): PanelRow => ({
  ...row,
  type: 'stat',
  targets: instant(expr),
  fieldConfig: fields({ color: fixed(colors[outcome] as string), decimals: 0, noValue: '0' }),
  options: { reduceOptions: { ...reduced, values: false }, textMode: 'value', colorMode: 'value', graphMode: 'none' },
});

/** Stacked bars over time. `legend` is a template of labels. */
export const timeline = ({ expr, legend, ...row }: Described & { expr: string; legend: string }): PanelRow => ({
  ...row,
  type: 'timeseries',
  interval: '15s',
  maxDataPoints: 200,
  targets: range(expr, legend),
  fieldConfig: fields(
    {
      color: { mode: FieldColorModeId.PaletteClassicByName },
      custom: { drawStyle: 'bars', fillOpacity: 80, lineWidth: 0, stacking: { mode: 'normal', group: 'A' } },
      decimals: 0,
      min: 0,
    },
    outcomeColors,
  ),
  options: {
    legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
});

/** What a click on a value of this label opens. */
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

/** A list of horizontal bars, one for each value of a label. */
export const bars = ({ expr, label, ...row }: Described & { expr: string; label: string }): PanelRow => ({
  ...row,
  type: 'bargauge',
  targets: instant(expr),
  fieldConfig: fields({
    color: { mode: FieldColorModeId.ContinuousBlPu },
    displayName: `\${__data.fields.${label}}`,
    links: links(label),
    decimals: 0,
    min: 0,
  }),
  options: {
    reduceOptions: { ...reduced, values: true, limit: 25 },
    orientation: 'horizontal',
    displayMode: 'basic',
    valueMode: 'text',
    namePlacement: 'left',
    showUnfilled: false,
  },
});

/** A table with a column for each label, and the number of events. */
export const table = ({ expr, labels, ...row }: Described & { expr: string; labels: readonly string[] }): PanelRow => ({
  ...row,
  type: 'table',
  targets: instant(expr),
  fieldConfig: fields(
    { custom: { align: 'auto', filterable: true } },
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

/** Log lines, the newest first. */
export const logs = ({ expr, ...row }: Described & { expr: string }): PanelRow => ({
  ...row,
  type: 'logs',
  targets: range(expr, '').map((target) => ({ ...target, maxLines: 500 })),
  fieldConfig: fields({}),
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

/** Circles on a world map. Borders come from Grafana itself, so that the browser loads no tiles from elsewhere. */
export const map = ({ expr, label, ...row }: Described & { expr: string; label: string }): PanelRow => ({
  ...row,
  type: 'geomap',
  targets: instant(expr),
  fieldConfig: fields({
    color: { mode: FieldColorModeId.Thresholds },
    decimals: 0,
    thresholds: {
      mode: ThresholdsMode.Percentage,
      steps: [
        { value: null, color: 'yellow' },
        { value: 33, color: 'orange' },
        { value: 66, color: 'red' },
      ],
    },
  }),
  options: {
    view: { id: 'zero', lat: 20, lon: 0, zoom: 1 },
    controls: { showZoom: true, mouseWheelZoom: false, showAttribution: false },
    tooltip: { mode: 'details' },
    // No zoom of a browser reaches 30, so that no tile is ever requested.
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

const listVariable = (name: string, description: string): VariableModel => ({
  ...{ name, label: name, description, type: 'query', datasource, hide: VariableHide.dontHide },
  query: { label: name, refId: `variable-${name}`, stream: '{app="request-guard"}', type: 1 },
  current: { text: ['All'], value: ['$__all'] },
  ...{ includeAll: true, multi: true, allValue: '.*', refresh: VariableRefresh.onTimeRangeChanged, sort: 1 },
});

const textVariable = (name: string, description: string): VariableModel => ({
  ...{ name, label: name, description, type: 'textbox', hide: VariableHide.dontHide, query: '.*' },
  current: { text: '.*', value: '.*' },
});

const variables: VariableModel[] = [
  listVariable('gateway', 'Gateways, and tcp-guard.'),
  listVariable('service', 'Services of tcp-guard; those of gateways are http.'),
  textVariable('rule', 'A regular expression for rules of gateways and reasons of tcp-guard.'),
  textVariable('address', 'A regular expression for addresses of clients.'),
];

/** Rows from top to bottom, panels from left to right. */
function placed(rows: Board['rows']): Panel[] {
  let [id, y] = [0, 0];
  return rows.flatMap(({ height, panels }) => {
    const top = y;
    y += height;
    let x = 0;
    return panels.map(({ width, ...panel }): Panel => {
      const gridPos = { x, y: top, w: width, h: height };
      x += width;
      if (x > gridWidth) throw new Error(`the panel "${panel.title}" is beyond the right edge of its row`);
      return { id: ++id, gridPos, datasource, ...panel };
    });
  });
}

export function panelId({ uid, rows }: Board, title: string): number {
  const id = placed(rows).find((panel) => panel.title === title)?.id;
  if (id === undefined) throw new Error(`the dashboard ${uid} has no panel "${title}"`);
  return id;
}

/** A dashboard with links to all others. */
export function dashboard({ uid, title, description, rows, refresh }: Board, all: readonly Board[]): Dashboard {
  return {
    ...{ uid, title, description, refresh, tags: ['request-guard'], schemaVersion: 42, editable: true },
    ...{ timezone: 'browser', time: { from: 'now-24h', to: 'now' }, graphTooltip: 1 },
    links: all
      .filter((other) => other.uid !== uid)
      .map((other) => ({
        ...{ type: 'link', title: other.title, url: `/d/${other.uid}`, tooltip: other.description, icon: 'dashboard' },
        ...{ tags: [], asDropdown: false, targetBlank: false, includeVars: true, keepTime: true },
      })),
    templating: { list: variables },
    annotations: { list: [] },
    panels: placed(rows),
  };
}
