import type { Paint } from '../program/paint.ts';
import type { Panel } from './boards/model.ts';
import { type Color, seriesColors } from './colors.ts';
import type { TimeSeries } from './data.ts';
import { compactNumber, escapeValue, shortenText, timeLabel, withUnit } from './units.ts';

export interface TimeChart extends Pick<Panel, 'unit' | 'noDataText' | 'colors'> {
  readonly times: readonly number[];
  readonly series: readonly TimeSeries[];
  readonly width: number;
  readonly height: number;
  readonly paint: Paint;
}

const eighthBlocks = [' ', '\u2581', '\u2582', '\u2583', '\u2584', '\u2585', '\u2586', '\u2587', '\u2588'] as const;
type Colors = ReturnType<typeof seriesColors>;

const sumOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);

/** Returns the sample that each column shows. A column of several samples shows the one with the largest sum. */
function columnsOf({ times, series }: TimeChart, width: number): number[][] {
  const samples = times.map((_, index) => series.map(({ values }) => values[index] ?? 0));
  if (samples.length === 0) return [];
  const perColumn = samples.length / width;
  const tallest = (some: readonly number[][]) => some.reduce((most, one) => (sumOf(one) > sumOf(most) ? one : most));
  return Array.from({ length: width }, (_, column) => {
    const from = Math.floor(column * perColumn);
    return tallest(samples.slice(from, Math.max(Math.floor((column + 1) * perColumn), from + 1)));
  });
}

function seriesAt(values: readonly number[], height: number): number {
  let below = 0;
  for (const [index, one] of values.entries()) {
    below += one;
    if (height < below) return index;
  }
  return values.length - 1;
}

interface Cell {
  text: string;
  readonly color?: Color | undefined;
}

function drawCell(values: readonly number[], row: number, perRow: number, colors: Colors): Cell {
  const filled = Math.min(Math.max(sumOf(values) / perRow - row, 0), 1);
  // Every value above zero is visible.
  const part = Math.max(Math.round(filled * 8), row === 0 && sumOf(values) > 0 ? 1 : 0);
  const text = eighthBlocks[part] as string;
  return part === 0 ? { text } : { text, color: colors[seriesAt(values, (row + filled / 2) * perRow)] };
}

/** Paints adjacent characters of one color at once. */
function paintCells(cells: readonly Cell[], paint: Paint): string {
  const runs: Cell[] = [];
  for (const cell of cells) {
    const last = runs.at(-1);
    if (last && last.color === cell.color) last.text += cell.text;
    else runs.push({ ...cell });
  }
  return runs.map(({ text, color }) => (color ? paint(color, text) : text)).join('');
}

function axisLine({ times, paint }: TimeChart, indent: number, width: number): string {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const label = (at: number) => timeLabel(at, last - first);
  const [left, middle, right] = [label(first), label((first + last) / 2), label(last)];
  const space = width - left.length - middle.length - right.length;
  if (space < 4) return paint('dim', `${' '.repeat(indent)}${shortenText(left, width)}`);
  const before = Math.floor(space / 2);
  const text = [left, ' '.repeat(before), middle, ' '.repeat(space - before), right].join('');
  return paint('dim', `${' '.repeat(indent)}${text}`);
}

interface Item {
  readonly color: Colors[number] | undefined;
  readonly name: string;
  readonly sum: string;
}

const legendMark = '\u25a0 ';
const widthOf = ({ name, sum }: Item): number => legendMark.length + name.length + sum.length + 3;

/** Distributes items over lines. Returns undefined when they do not fit. */
function flowItems(items: readonly Item[], { width, paint }: TimeChart, height: number): string[] | undefined {
  const lines = [''];
  let used = 0;
  for (const item of items) {
    if (used > 0 && used + widthOf(item) > width) {
      lines.push('');
      used = 0;
    }
    used += widthOf(item);
    const mark = paint(item.color ?? [], legendMark);
    lines.push(`${lines.pop()}${mark}${item.name}${paint('bold', ` ${item.sum}  `)}`);
  }
  return lines.length > height ? undefined : lines;
}

/** Draws the legend. Series that do not fit share the last item. When only one item fits, it is the first series. */
function legendLines(chart: TimeChart, height: number, colors: Colors): string[] {
  const { series, unit, width } = chart;
  const items = series.map(({ name, values }, index) => {
    const sum = withUnit(sumOf(values), unit);
    return {
      color: colors[index],
      name: shortenText(escapeValue(name) || 'all', Math.max(width - sum.length - 5, 1)),
      sum,
    };
  });
  for (let count = items.length; count > 1; count -= 1) {
    const hidden = series.slice(count);
    const sum = withUnit(sumOf(hidden.flatMap(({ values }) => values)), unit);
    const others = hidden.length === 0 ? [] : [{ color: colors.at(-1), name: `${hidden.length} more`, sum }];
    const lines = flowItems([...items.slice(0, count), ...others], chart, height);
    if (lines) return lines;
  }
  return flowItems(items.slice(0, 1), chart, height) ?? [];
}

const sortSeries = (chart: TimeChart): TimeChart => ({
  ...chart,
  series: chart.series.toSorted((one, other) => sumOf(other.values) - sumOf(one.values)),
});

export function drawTimeChart(unsorted: TimeChart): string[] {
  const chart = sortSeries(unsorted);
  const { series, width, height, paint } = chart;
  if (series.length === 0) return [paint('dim', escapeValue(chart.noDataText))];
  const colors = seriesColors(
    series.map(({ name }) => name),
    chart.colors,
  );
  const below = legendLines(chart, Math.max(1, Math.floor(height / 4)), colors);
  const rows = Math.max(height - below.length - 1, 1);
  const most = Math.max(...chart.times.map((_, at) => sumOf(series.map(({ values }) => values[at] ?? 0))), 0);
  const top = compactNumber(most);
  const indent = top.length + 1;
  const plot = Math.max(width - indent, 1);
  const columns = columnsOf(chart, plot);
  const lines = Array.from({ length: rows }, (_, index) => {
    const label = index === 0 ? top : index === rows - 1 ? '0' : '';
    const cells = columns.map((values) => drawCell(values, rows - 1 - index, (most || 1) / rows, colors));
    return `${paint('dim', `${label.padStart(top.length)} `)}${paintCells(cells, paint)}`;
  });
  return [...lines, axisLine(chart, indent, plot), ...below];
}
