/** Converts Grafana's colors to styles of a terminal. */
import type { Style } from '../../program/paint.ts';
import type { Panel } from '../boards/model.ts';
import type { Span } from './line.ts';

type Color = NonNullable<Span['style']>;

/** Styles by Grafana's name of a color. Terminals have no orange, so bold distinguishes yellow from it. */
const stylesByColor: ReadonlyMap<string, Color> = new Map<string, Color>([
  ['red', 'red'],
  ['orange', 'yellow'],
  ['yellow', ['yellow', 'bold']],
  ['green', 'green'],
  ['blue', 'blue'],
  ['purple', 'magenta'],
  ['text', 'bold'],
]);

/** Styles of series that the dashboard gives no color, in their order. */
const palette: readonly Style[] = ['cyan', 'yellow', 'green', 'red', 'bold', 'dim'];

/** Returns a color for each series, and one more for the legend entry of series that do not fit. */
export function seriesColors(names: readonly string[], named: Panel['colors']): readonly Color[] {
  const colorOf = (name: string, place: number): Color =>
    stylesByColor.get(named[name] ?? '') ?? (palette[Math.min(place, palette.length - 1)] as Style);
  return [...names.map(colorOf), 'dim'];
}

/** Shares of the sum of a list: from the first on, the bar of a row is bold. Up to the second, it is dim. */
const [heavy, faint] = [0.2, 0.02];

/** Returns the color of a bar. `name` selects the color; `part`, the share of the sum, makes the bar bold or dim. */
export function barColor(name: string, part: number, { color, colors: named }: Pick<Panel, 'color' | 'colors'>): Color {
  const weight = part >= heavy ? (['bold'] as const) : part <= faint ? (['dim'] as const) : [];
  return [...new Set([...[stylesByColor.get(named[name] ?? color) ?? 'cyan'].flat(), ...weight])];
}

/** Returns the color that the thresholds of a panel give to a value. */
export function valueColor(value: number, thresholds: Panel['thresholds']): Color {
  const name = thresholds.findLast(({ from }) => value >= from)?.color ?? '';
  return [...new Set(['bold' as const, ...[stylesByColor.get(name) ?? []].flat()])];
}
