/** Reads the classic JSON of a Grafana dashboard. What the terminal cannot draw is left out. */
import { parseDuration } from '../../../contract/values/duration.ts';
import {
  type Board,
  boardBounds,
  type Columns,
  type Drawing,
  type Panel,
  type PanelQuery,
  type Variable,
} from './model.ts';

type Members = Readonly<Record<string, unknown>>;
const members = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown, otherwise = ''): string =>
  typeof value === 'string' ? value.slice(0, boardBounds.characters) : otherwise;
const whole = (value: unknown, otherwise: number): number =>
  Number.isSafeInteger(value) ? (value as number) : otherwise;

const drawings: ReadonlyMap<unknown, Drawing> = new Map<unknown, Drawing>([
  ['timeseries', 'time'],
  ['stat', 'stat'],
  ['gauge', 'stat'],
  ['bargauge', 'bars'],
  ['barchart', 'bars'],
  ['piechart', 'bars'],
  ['geomap', 'bars'],
  ['table', 'table'],
  ['logs', 'logs'],
]);

function queryOf(value: unknown): PanelQuery | undefined {
  const { expr, queryType, instant, legendFormat, hide, maxLines } = members(value);
  if (hide === true || typeof expr !== 'string' || expr === '') return undefined;
  const legend = text(legendFormat).replace('__auto', '');
  const lines = whole(maxLines, 0);
  const isInstant = queryType === 'instant' || instant === true;
  return { expr: text(expr), isInstant, legend, ...(lines > 0 && { lines }) };
}

/** Returns the columns that the `organize` transformations of a table set. */
function columnsOf(transformations: unknown): Columns {
  const options = list(transformations)
    .map(members)
    .filter(({ id }) => id === 'organize')
    .map((one) => members(one.options));
  const names = options.flatMap(({ renameByName }) => Object.entries(members(renameByName)));
  const hidden = options.flatMap(({ excludeByName }) => Object.entries(members(excludeByName)));
  const order = options.flatMap(({ indexByName }) => Object.entries(members(indexByName)));
  return {
    order: Object.fromEntries(order.map(([field, at]) => [field, whole(at, 0)])),
    names: Object.fromEntries(names.map(([field, name]) => [field, text(name)])),
    hidden: new Set(hidden.filter(([, isHidden]) => isHidden === true).map(([field]) => field)),
  };
}

/** Returns the colors of those series that an override names. */
function colorsOf(overrides: unknown): Panel['colors'] {
  const named = list(overrides)
    .map(members)
    .filter(({ matcher }) => members(matcher).id === 'byName')
    .flatMap(({ matcher, properties }) =>
      list(properties)
        .map(members)
        .filter(({ id }) => id === 'color')
        .map(({ value }) => [text(members(matcher).options), text(members(value).fixedColor)] as const),
    );
  return Object.fromEntries(named);
}

/** Returns only absolute thresholds. The first step has no value: it applies to all lower values. */
function thresholdsOf({ color, thresholds }: Members): Panel['thresholds'] {
  const { mode, steps } = members(thresholds);
  if (members(color).mode !== 'thresholds' || mode !== 'absolute') return [];
  return list(steps)
    .map(members)
    .map(({ value, color: name }) => ({
      from: typeof value === 'number' ? value : Number.NEGATIVE_INFINITY,
      color: text(name),
    }))
    .sort((one, other) => (one.from < other.from ? -1 : 1));
}

/** Returns the settings of a panel that Grafana stores in `fieldConfig`. */
function fieldsOf(fieldConfig: unknown): Pick<Panel, 'unit' | 'none' | 'color' | 'colors' | 'thresholds'> {
  const { defaults, overrides } = members(fieldConfig);
  const { unit, noValue, color } = members(defaults);
  return {
    unit: text(unit, 'short'),
    none: text(noValue, 'no events'),
    color: text(members(color).fixedColor),
    colors: colorsOf(overrides),
    thresholds: thresholdsOf(members(defaults)),
  };
}

function panelOf(value: unknown): Panel[] {
  const { id, type, title, targets, gridPos, fieldConfig, options, transformations, panels } = members(value);
  if (type === 'row') return list(panels).flatMap(panelOf);
  const drawing = drawings.get(type);
  const queries = list(targets)
    .slice(0, boardBounds.queries)
    .flatMap((target) => queryOf(target) ?? []);
  if (!drawing || queries.length === 0) return [];
  const { x, y, w } = members(gridPos);
  const [calculation] = list(members(members(options).reduceOptions).calcs);
  return [
    {
      ...{ id: whole(id, 0), title: text(title), drawing, queries },
      ...fieldsOf(fieldConfig),
      isTotal: list(transformations).some((one) => members(one).id === 'reduce'),
      calculation: text(calculation, 'lastNotNull'),
      columns: columnsOf(transformations),
      place: { x: whole(x, 0), y: whole(y, 0), width: whole(w, 24) },
    },
  ];
}

/** Returns the variable, or an empty list for what is not a variable of queries. `$__all` selects all values. */
function variableOf(value: unknown): Variable[] {
  const { name, type, current, includeAll, allValue, multi, query } = members(value);
  if (typeof name !== 'string' || !/^\w{1,40}$/.test(name) || type === 'datasource') return [];
  const isPattern = includeAll === true || multi === true;
  const [chosen] = [members(current).value].flat();
  const initial = isPattern && (chosen === undefined || chosen === '$__all') ? text(allValue, '.*') : text(chosen);
  return [{ name, isPattern, initial: initial === '' && type === 'textbox' ? text(query) : initial }];
}

const defaultRangeMs = 3_600_000;

/** Returns the length of a range in milliseconds. @param from its start, such as `now-6h` */
const rangeOf = (from: unknown): number => parseDuration(text(from).replace(/^now-/, '')) ?? defaultRangeMs;

const byPlace = ({ place: one }: Panel, { place: other }: Panel): number => one.y - other.y || one.x - other.x;

/** Returns undefined when the text is not a dashboard, or has no panel that can be drawn. */
export function readBoard(json: string): Board | undefined {
  let board: Members;
  try {
    board = members(JSON.parse(json));
  } catch {
    return undefined;
  }
  const { uid, title, time, templating, panels } = board;
  const drawn = list(panels).flatMap(panelOf).sort(byPlace).slice(0, boardBounds.panels);
  if (drawn.length === 0 || typeof uid !== 'string' || !/^[\w-]{1,40}$/.test(uid)) return undefined;
  const variables = list(members(templating).list).flatMap(variableOf).slice(0, boardBounds.variables);
  return { uid, title: text(title, uid), rangeMs: rangeOf(members(time).from), variables, panels: drawn };
}
