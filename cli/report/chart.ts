/** Charts as SVG, with a title and a summary for screen readers. A table on the page has the numbers. */

import { scaleLinear, scaleUtc } from 'd3-scale';
import { stack } from 'd3-shape';
import { grouped } from '../program/counted.ts';
import { type Html, joinHtml, rawHtml, textHtml } from './html.ts';
import type { ChartSeries } from './result.ts';

export interface ChartInput {
  /** Prefix of ids, unique on the page. */
  readonly id: string;
  readonly title: string;
  /** Text that screen readers read instead of the chart. */
  readonly summary: string;
  /** Start of each bar, in milliseconds since the epoch. */
  readonly starts: readonly number[];
  readonly bucketMs: number;
  readonly series: readonly ChartSeries[];
}

const width = 960;
const height = 260;
const margin = { top: 10, right: 40, bottom: 30, left: 60 } as const;
const tickCounts = { x: 8, y: 5 } as const;

/** Rounds to tenths of a pixel, to keep the page small. */
const pixelText = (coordinate: number): string => String(Math.round(coordinate * 10) / 10);

export const colorOf = (index: number, { name }: ChartSeries): string =>
  name === 'all others' ? 'other' : `s${index}`;

function scales({ starts, bucketMs }: ChartInput, most: number) {
  const [first = 0] = starts;
  const end = (starts.at(-1) ?? first) + bucketMs;
  const x = scaleUtc([first, end], [margin.left, width - margin.right]);
  const y = scaleLinear([0, Math.max(most, 1)], [height - margin.bottom, margin.top]).nice();
  return { x, y };
}

type Scales = ReturnType<typeof scales>;

/** Returns the hour and minute of a tick in UTC, or its date at midnight. */
function timeLabel(time: Date): string {
  const [day = '', hour = ''] = time.toISOString().slice(0, 16).split('T');
  return hour === '00:00' ? day : hour;
}

function drawAxes({ x, y }: Scales): string {
  const bottom = height - margin.bottom;
  const times = x.ticks(tickCounts.x).map((time) => {
    const at = pixelText(x(time));
    return `<path class="tick" d="M${at} ${bottom}v5"/><text x="${at}" y="${bottom + 20}" text-anchor="middle">${timeLabel(time)}</text>`;
  });
  const counts = y
    .ticks(tickCounts.y)
    .filter(Number.isInteger)
    .map((count) => {
      const at = pixelText(y(count));
      return `<path class="grid" d="M${margin.left} ${at}H${width - margin.right}"/><text x="${margin.left - 8}" y="${at}" dy="0.32em" text-anchor="end">${grouped(count)}</text>`;
    });
  return counts.join('') + times.join('');
}

function drawBars({ starts, bucketMs, series }: ChartInput, { x, y }: Scales): string {
  const indices = starts.map((_, index) => index);
  const layers = stack<number, number>()
    .keys(series.keys())
    .value((index, key) => series[key]?.counts[index] ?? 0)(indices);
  return layers
    .map((layer, key) => {
      const parts = layer.map(([low, high], index) => {
        const [left, right] = [x(starts[index] as number), x((starts[index] as number) + bucketMs)];
        const gap = right - left > 4 ? 1 : 0;
        return low === high
          ? ''
          : `M${pixelText(left)} ${pixelText(y(high))}H${pixelText(right - gap)}V${pixelText(y(low))}H${pixelText(left)}Z`;
      });
      return `<path class="${colorOf(key, series[key] as ChartSeries)}" d="${parts.join('')}"/>`;
    })
    .join('');
}

const drawLegend = (series: readonly ChartSeries[], label: (series: ChartSeries) => Html): Html => {
  const items = series.map((one, index) => {
    const swatch = `<svg class="swatch" aria-hidden="true" width="12" height="12"><rect class="${colorOf(index, one)}" width="12" height="12"/></svg>`;
    return rawHtml(`<li>${swatch} ${label(one).html}</li>`);
  });
  return rawHtml(`<ul class="legend">${joinHtml(items).html}</ul>`);
};

export function drawChart(input: ChartInput, label: (series: ChartSeries) => Html): Html {
  const { id, title, summary, starts, series } = input;
  const sums = starts.map((_, index) => series.reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0));
  const both = scales(
    input,
    sums.reduce((most, sum) => Math.max(most, sum), 0),
  );
  return rawHtml(
    `<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-summary">` +
      `<title id="${id}-title">${textHtml(title).html}</title><desc id="${id}-summary">${textHtml(summary).html}</desc>` +
      `${drawAxes(both)}${drawBars(input, both)}</svg>${drawLegend(series, label).html}`,
  );
}

const barWidth = 80;

/** Draws a bar. Screen readers skip it and read the number beside it. */
export function drawBar(count: number, most: number): Html {
  const length = pixelText((barWidth * count) / Math.max(most, 1));
  return rawHtml(
    `<svg class="bar" aria-hidden="true" width="${barWidth}" height="10"><rect class="s0" width="${length}" height="10"/></svg>`,
  );
}
