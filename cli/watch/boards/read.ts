/** Reads the classic JSON of a Grafana dashboard. Omits panels that the terminal cannot draw. */
import { parseDuration } from '../../../contract/values/duration.ts';
import { listOf, type Members, membersOf } from '../../stack/loki/result.ts';
import {
  type Board,
  boardBounds,
  type Columns,
  type Drawing,
  type Panel,
  type PanelQuery,
  type Variable,
} from './model.ts';

const textOf = (value: unknown, otherwise = ''): string =>
  typeof value === 'string' ? value.slice(0, boardBounds.characters) : otherwise;
const wholeNumberOf = (value: unknown, otherwise: number): number =>
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
  const { expr, queryType, instant, legendFormat, hide, maxLines } = membersOf(value);
  if (hide === true || typeof expr !== 'string' || expr === '') return undefined;
  const legend = textOf(legendFormat).replace('__auto', '');
  const lines = wholeNumberOf(maxLines, 0);
  const isInstant = queryType === 'instant' || instant === true;
  return { expr: textOf(expr), isInstant, legend, ...(lines > 0 && { lines }) };
}

/** Returns the names, the order and the hidden columns from the `organize` transformations of a table. */
function columnsOf(transformations: unknown): Columns {
  const options = listOf(transformations)
    .map(membersOf)
    .filter(({ id }) => id === 'organize')
    .map((one) => membersOf(one.options));
  const names = options.flatMap(({ renameByName }) => Object.entries(membersOf(renameByName)));
  const hidden = options.flatMap(({ excludeByName }) => Object.entries(membersOf(excludeByName)));
  const order = options.flatMap(({ indexByName }) => Object.entries(membersOf(indexByName)));
  return {
    order: Object.fromEntries(order.map(([field, at]) => [field, wholeNumberOf(at, 0)])),
    names: Object.fromEntries(names.map(([field, name]) => [field, textOf(name)])),
    hidden: new Set(hidden.filter(([, isHidden]) => isHidden === true).map(([field]) => field)),
  };
}

function colorsOf(overrides: unknown): Panel['colors'] {
  const named = listOf(overrides)
    .map(membersOf)
    .filter(({ matcher }) => membersOf(matcher).id === 'byName')
    .flatMap(({ matcher, properties }) =>
      listOf(properties)
        .map(membersOf)
        .filter(({ id }) => id === 'color')
        .map(({ value }) => [textOf(membersOf(matcher).options), textOf(membersOf(value).fixedColor)] as const),
    );
  return Object.fromEntries(named);
}

/**
 * Returns the thresholds if they are absolute and the color depends on them, otherwise an empty list. The first step
 * has no value, so it starts at -Infinity.
 */
function thresholdsOf({ color, thresholds }: Members): Panel['thresholds'] {
  const { mode, steps } = membersOf(thresholds);
  if (membersOf(color).mode !== 'thresholds' || mode !== 'absolute') return [];
  return listOf(steps)
    .map(membersOf)
    .map(({ value, color: name }) => ({
      from: typeof value === 'number' ? value : Number.NEGATIVE_INFINITY,
      color: textOf(name),
    }))
    .sort((one, other) => (one.from < other.from ? -1 : 1));
}

function fieldsOf(fieldConfig: unknown): Pick<Panel, 'unit' | 'noDataText' | 'color' | 'colors' | 'thresholds'> {
  const { defaults, overrides } = membersOf(fieldConfig);
  const { unit, noValue, color } = membersOf(defaults);
  return {
    unit: textOf(unit, 'short'),
    noDataText: textOf(noValue) || 'no events',
    color: textOf(membersOf(color).fixedColor),
    colors: colorsOf(overrides),
    thresholds: thresholdsOf(membersOf(defaults)),
  };
}

function panelOf(value: unknown): Panel[] {
  const { id, type, title, targets, gridPos, fieldConfig, options, transformations, panels } = membersOf(value);
  if (type === 'row') return listOf(panels).flatMap(panelOf);
  const drawing = drawings.get(type);
  const queries = listOf(targets)
    .slice(0, boardBounds.queries)
    .flatMap((target) => queryOf(target) ?? []);
  if (!drawing || queries.length === 0) return [];
  const { x, y, w } = membersOf(gridPos);
  const [calculation] = listOf(membersOf(membersOf(options).reduceOptions).calcs);
  return [
    {
      ...{ id: wholeNumberOf(id, 0), title: textOf(title), drawing, queries },
      ...fieldsOf(fieldConfig),
      isSumOnly: listOf(transformations).some((one) => membersOf(one).id === 'reduce'),
      calculation: textOf(calculation, 'lastNotNull'),
      columns: columnsOf(transformations),
      place: { x: wholeNumberOf(x, 0), y: wholeNumberOf(y, 0), width: wholeNumberOf(w, 24) },
    },
  ];
}

/** Returns a list with the variable, or an empty list for a data source or a bad name. `$__all` selects all values. */
function variableOf(value: unknown): Variable[] {
  const { name, type, current, includeAll, allValue, multi, query } = membersOf(value);
  if (typeof name !== 'string' || !/^\w{1,40}$/.test(name) || type === 'datasource') return [];
  const isPattern = includeAll === true || multi === true;
  const [chosen] = [membersOf(current).value].flat();
  const initial = isPattern && (chosen === undefined || chosen === '$__all') ? textOf(allValue, '.*') : textOf(chosen);
  return [{ name, isPattern, initial: initial === '' && type === 'textbox' ? textOf(query) : initial }];
}

const defaultRangeMs = 3_600_000;

/** Returns the length of a range in milliseconds. @param from its start, such as `now-6h` */
const rangeOf = (from: unknown): number => parseDuration(textOf(from).replace(/^now-/, '')) ?? defaultRangeMs;

const byPlace = ({ place: one }: Panel, { place: other }: Panel): number => one.y - other.y || one.x - other.x;

/** Parses a dashboard. Returns undefined when the text is not one, or has no panel that can be drawn. */
export function readBoard(json: string): Board | undefined {
  let board: Members;
  try {
    board = membersOf(JSON.parse(json));
  } catch {
    return undefined;
  }
  const { uid, title, time, templating, panels } = board;
  const drawn = listOf(panels).flatMap(panelOf).sort(byPlace).slice(0, boardBounds.panels);
  if (drawn.length === 0 || typeof uid !== 'string' || !/^[\w-]{1,40}$/.test(uid)) return undefined;
  const variables = listOf(membersOf(templating).list).flatMap(variableOf).slice(0, boardBounds.variables);
  return { uid, title: textOf(title, uid), rangeMs: rangeOf(membersOf(time).from), variables, panels: drawn };
}
