/** Grafana's names of colors as styles of a terminal. */
import type { Style } from '../../program/paint.ts';
import type { Panel } from '../boards/model.ts';
import type { Span } from './line.ts';

type Color = NonNullable<Span['style']>;

/** Terminals have no orange. */
const colors: ReadonlyMap<string, Color> = new Map<string, Color>([
  ['red', 'red'],
  ['orange', 'yellow'],
  ['yellow', ['yellow', 'bold']],
  ['green', 'green'],
  ['blue', 'blue'],
  ['purple', 'magenta'],
  ['text', 'bold'],
]);

/** Of series without a color, by their place. */
const palette: readonly Style[] = ['cyan', 'yellow', 'green', 'red', 'bold', 'dim'];

/** One for each series, and one more for those that have no room. */
export function seriesColors(names: readonly string[], named: Panel['colors']): readonly Color[] {
  const colorOf = (name: string, place: number): Color =>
    colors.get(named[name] ?? '') ?? (palette[Math.min(place, palette.length - 1)] as Style);
  return [...names.map(colorOf), 'dim'];
}

/** Shares of the sum of a list. From the first share a bar is heavy; up to the second it is faint. */
const [heavy, faint] = [0.2, 0.02];

/** Of the bar of a row: what it counts gives the color, its part of the sum of the list the weight. */
export function barColor(name: string, part: number, { color, colors: named }: Pick<Panel, 'color' | 'colors'>): Color {
  const weight = part >= heavy ? (['bold'] as const) : part <= faint ? (['dim'] as const) : [];
  return [...new Set([...[colors.get(named[name] ?? color) ?? 'cyan'].flat(), ...weight])];
}

/** Of a value, by the thresholds of its panel. */
export function valueColor(value: number, thresholds: Panel['thresholds']): Color {
  const name = thresholds.findLast(({ from }) => value >= from)?.color ?? '';
  return [...new Set(['bold' as const, ...[colors.get(name) ?? []].flat()])];
}
