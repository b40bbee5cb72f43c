import type { Panel } from './boards/model.ts';
import { seriesColors } from './colors.ts';
import type { TimeSeries } from './data.ts';
import { escapeValue, type Line, type Span, shortenText, span } from './line.ts';
import { compactNumber, timeLabel, withUnit } from './units.ts';

export interface TimeChart extends Pick<Panel, 'unit' | 'noDataText' | 'colors'> {
  readonly times: readonly number[];
  readonly series: readonly TimeSeries[];
  readonly width: number;
  readonly height: number;
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

function drawCell(values: readonly number[], row: number, perRow: number, colors: Colors): Span {
  const filled = Math.min(Math.max(sumOf(values) / perRow - row, 0), 1);
  // Every value above zero is visible.
  const part = Math.max(Math.round(filled * 8), row === 0 && sumOf(values) > 0 ? 1 : 0);
  return part === 0
    ? span(' ')
    : span(eighthBlocks[part] as string, colors[seriesAt(values, (row + filled / 2) * perRow)]);
}

function joinCells(cells: readonly Span[]): Line {
  const spans: { text: string; style?: Span['style'] }[] = [];
  for (const one of cells) {
    const last = spans.at(-1);
    if (last && last.style === one.style) last.text += one.text;
    else spans.push({ ...one });
  }
  return spans as Line;
}

function axisLine({ times }: TimeChart, indent: number, width: number): Line {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const label = (at: number) => timeLabel(at, last - first);
  const [left, middle, right] = [label(first), label((first + last) / 2), label(last)];
  const space = width - left.length - middle.length - right.length;
  if (space < 4) return [span(`${' '.repeat(indent)}${shortenText(left, width)}`, 'dim')];
  const before = Math.floor(space / 2);
  const text = [left, ' '.repeat(before), middle, ' '.repeat(space - before), right].join('');
  return [span(`${' '.repeat(indent)}${text}`, 'dim')];
}

interface Item {
  readonly color: Colors[number] | undefined;
  readonly name: string;
  readonly sum: string;
}

const legendMark = '\u25a0 ';
const widthOf = ({ name, sum }: Item): number => legendMark.length + name.length + sum.length + 3;

/** Distributes items over lines. Returns undefined when they do not fit. */
function flowItems(items: readonly Item[], width: number, height: number): Line[] | undefined {
  const lines: Line[] = [[]];
  let used = 0;
  for (const item of items) {
    if (used > 0 && used + widthOf(item) > width) {
      lines.push([]);
      used = 0;
    }
    used += widthOf(item);
    const spans = [span(legendMark, item.color), span(item.name), span(` ${item.sum}  `, 'bold')];
    lines.push([...(lines.pop() ?? []), ...spans]);
  }
  return lines.length > height ? undefined : lines;
}

/** Draws the legend. Series that do not fit share the last item. When only one item fits, it is the first series. */
function legendLines({ series, unit, width }: TimeChart, height: number, colors: Colors): Line[] {
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
    const lines = flowItems([...items.slice(0, count), ...others], width, height);
    if (lines) return lines;
  }
  return flowItems(items.slice(0, 1), width, height) ?? [];
}

const sortSeries = (chart: TimeChart): TimeChart => ({
  ...chart,
  series: chart.series.toSorted((one, other) => sumOf(other.values) - sumOf(one.values)),
});

export function drawTimeChart(unsorted: TimeChart): Line[] {
  const chart = sortSeries(unsorted);
  const { series, width, height } = chart;
  if (series.length === 0) return [[span(escapeValue(chart.noDataText), 'dim')]];
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
  const lines = Array.from({ length: rows }, (_, index): Line => {
    const label = index === 0 ? top : index === rows - 1 ? '0' : '';
    const cells = columns.map((values) => drawCell(values, rows - 1 - index, (most || 1) / rows, colors));
    return [span(`${label.padStart(top.length)} `, 'dim'), ...joinCells(cells)];
  });
  return [...lines, axisLine(chart, indent, plot), ...below];
}
