import type { Paint } from '../program/paint.ts';
import { type LogLine, millisecondsOf } from '../stack/loki/result.ts';
import type { Columns, Panel } from './boards/model.ts';
import { barColor, valueColor } from './colors.ts';
import type { ValueRow } from './data.ts';
import { clockText, escapeValue, shortenText, withUnit } from './units.ts';

export interface Area extends Pick<Panel, 'unit' | 'noDataText' | 'thresholds' | 'color' | 'colors'> {
  readonly width: number;
  readonly height: number;
  readonly paint: Paint;
}

type Lines = readonly string[];
type ListArea = Pick<Area, 'height' | 'noDataText' | 'paint'>;

const noDataLines = ({ noDataText, paint }: ListArea): Lines => [paint('dim', escapeValue(noDataText))];

export function statLines(rows: readonly ValueRow[], area: Area): Lines {
  const { height, unit, thresholds, paint } = area;
  if (rows.length === 0) return noDataLines(area);
  return rows.slice(0, height).map(({ name, value: number }) => {
    const label = rows.length === 1 ? '' : escapeValue(name);
    return paint(valueColor(number, thresholds), withUnit(number, unit)) + (label === '' ? '' : ` ${label}`);
  });
}

export function newestTimeLines([line]: readonly LogLine[], area: ListArea): Lines {
  if (!line) return noDataLines(area);
  const time = new Date(millisecondsOf(line)).toISOString();
  return [area.paint('bold', `${time.slice(5, 10)} ${time.slice(11, 19)} UTC`)];
}

const fullBlock = '\u2588';
const eighthBlocks = ['', '\u258f', '\u258e', '\u258d', '\u258c', '\u258b', '\u258a', '\u2589'] as const;

/** Draws a bar with a precision of an eighth of a column. Every value above zero is visible. */
function barText(part: number, width: number): string {
  const filled = Math.max(Math.round(part * width * 8), part > 0 ? 1 : 0);
  return `${fullBlock.repeat(Math.floor(filled / 8))}${eighthBlocks[filled % 8] as string}`;
}

export function barLines(rows: readonly ValueRow[], area: Area): Lines {
  const { width, height, unit, paint } = area;
  if (rows.length === 0) return noDataLines(area);
  const shown = rows.slice(0, height);
  const numbers = shown.map((row) => withUnit(row.value, unit));
  const numberWidth = Math.max(...numbers.map(({ length }) => length));
  const names = shown.map(({ name }) => escapeValue(name) || 'all');
  const nameWidth = Math.min(Math.max(...names.map(({ length }) => length)), Math.floor(width * 0.45));
  const most = Math.max(...shown.map((row) => row.value), Number.MIN_VALUE);
  const sum = rows.reduce((before, row) => before + Math.max(row.value, 0), 0);
  const barWidth = Math.max(width - nameWidth - numberWidth - 2, 0);
  return shown.map((row, index) => {
    const name = shortenText(names[index] as string, nameWidth).padEnd(nameWidth);
    const number = paint('bold', `${(numbers[index] as string).padStart(numberWidth)} `);
    const color = barColor(row.name, row.value / (sum || 1), area);
    return `${name} ${number}${paint(color, barText(Math.max(row.value, 0) / most, barWidth))}`;
  });
}

/** Joins rows with the same labels to one row, with a value for each query. */
function mergeRows(
  rows: readonly ValueRow[],
): { readonly labels: ValueRow['labels']; readonly values: Map<number, number> }[] {
  const found = new Map<string, { labels: ValueRow['labels']; values: Map<number, number> }>();
  for (const { labels, value: number, query } of rows) {
    const key = JSON.stringify(Object.entries(labels).sort());
    found.getOrInsertComputed(key, () => ({ labels, values: new Map() })).values.set(query, number);
  }
  return [...found.values()];
}

/** Shrinks the widest column first until the columns fit the line. No column shrinks below 4 characters. */
function shrinkColumns(wanted: readonly number[], width: number): number[] {
  const widths = [...wanted];
  const total = () => widths.reduce((sum, one) => sum + one + 2, -2);
  while (total() > width) {
    const widest = Math.max(...widths);
    if (widest <= 4) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}

/** A column of a table: a label, or the numbers of a query. */
interface Column {
  readonly title: string;
  readonly isNumber: boolean;
  readonly cells: readonly string[];
}

/** Grafana's name of the column, such as `Value #A`. */
const valueField = (query: number): string => `Value #${String.fromCharCode(65 + query)}`;

function columnsOf(rows: readonly ValueRow[], { names, hidden, order }: Columns, { height, unit }: Area): Column[] {
  const shown = mergeRows(rows).slice(0, Math.max(height - 1, 1));
  const labels = new Set(shown.flatMap((row) => Object.keys(row.labels)));
  const queries = new Set(shown.flatMap(({ values }) => [...values.keys()]));
  const title = (field: string, otherwise = field) => escapeValue(names[field] || otherwise);
  const fields = [
    ...[...labels].map((field) => ({
      ...{ field, title: title(field), isNumber: false },
      cells: shown.map((row) => escapeValue(row.labels[field] ?? '')),
    })),
    ...[...queries].sort().map((query) => ({
      ...{ field: valueField(query), title: title(valueField(query), 'Value'), isNumber: true },
      cells: shown.map(({ values }) => (values.has(query) ? withUnit(values.get(query) as number, unit) : '')),
    })),
  ];
  const place = (field: string) => order[field] ?? Number.MAX_SAFE_INTEGER;
  return fields.filter(({ field }) => !hidden.has(field)).sort((one, other) => place(one.field) - place(other.field));
}

export function tableLines(rows: readonly ValueRow[], wanted: Columns, area: Area): Lines {
  if (rows.length === 0) return noDataLines(area);
  const columns = columnsOf(rows, wanted, area);
  const natural = columns.map(({ title, cells }) => Math.max(title.length, ...cells.map(({ length }) => length)));
  const widths = shrinkColumns(natural, area.width);
  const row = (textOf: (column: Column) => string) =>
    columns
      .map((column, at) => {
        const room = widths[at] as number;
        const text = shortenText(textOf(column), room);
        return column.isNumber ? text.padStart(room) : text.padEnd(room);
      })
      .join('  ');
  const count = columns[0]?.cells.length ?? 0;
  const body = Array.from({ length: count }, (_, at) => row(({ cells }) => cells[at] ?? ''));
  const head = row(({ title }) => title);
  return [area.paint('dim', head), ...body];
}

const actionStyles = {
  blocked: 'red',
  banned: 'red',
  detected: 'yellow',
  auth_failure: 'yellow',
  allowed: 'green',
} as const;

/** Draws a log line. For a line that is not an event, draws its escaped text. */
function eventLine({ labels, line, ns }: LogLine, paint: Paint): string {
  const {
    action = '',
    gateway = '',
    service = '',
    client_ip,
    rule_id = '',
    method = '',
    host = '',
    path = '',
  } = labels;
  const time = paint('dim', `${clockText(millisecondsOf({ ns }))} `);
  if (client_ip === undefined || !line.startsWith('{')) return `${time}${escapeValue(line)}`;
  const source = gateway === 'tcp-guard' ? `${gateway}/${service}` : gateway;
  const actionText = paint(
    actionStyles[action as keyof typeof actionStyles] ?? [],
    `${escapeValue(action).padEnd(8)} `,
  );
  const request = paint('dim', escapeValue(` ${method} ${host}${path}`.trimEnd()));
  return `${time}${actionText}${escapeValue(`${source} ${client_ip} ${rule_id}`)}${request}`;
}

/** Draws log lines. The newest one is last, as in a file. */
export function logLines(lines: readonly LogLine[], area: ListArea): Lines {
  if (lines.length === 0) return noDataLines(area);
  return lines
    .slice(0, area.height)
    .map((line) => eventLine(line, area.paint))
    .reverse();
}
