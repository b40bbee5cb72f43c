import type { Style } from '../program/paint.ts';
import type { Panel } from './boards/model.ts';

export type Color = Style | readonly Style[];

/** Terminal colors by Grafana's names. Terminals have no orange, so orange is yellow, and yellow is bold. */
const stylesByColor: ReadonlyMap<string, Color> = new Map<string, Color>([
  ['red', 'red'],
  ['orange', 'yellow'],
  ['yellow', ['yellow', 'bold']],
  ['green', 'green'],
  ['blue', 'blue'],
  ['purple', 'magenta'],
  ['text', 'bold'],
]);

/** Styles of series without a color of the dashboard, by the index of the series. The last style repeats. */
const palette: readonly Style[] = ['cyan', 'yellow', 'green', 'red', 'bold', 'dim'];

/** Returns the color of each series, and a last one for the sum of the series that do not fit. */
export function seriesColors(names: readonly string[], named: Panel['colors']): readonly Color[] {
  const colorOf = (name: string, place: number): Color =>
    stylesByColor.get(named[name] ?? '') ?? (palette[Math.min(place, palette.length - 1)] as Style);
  return [...names.map(colorOf), 'dim'];
}

/** Shares of the sum: bars from `heavy` on are bold, bars up to `faint` are dim. */
const [heavy, faint] = [0.2, 0.02];

/** Returns the color of a bar. @param part share of the sum */
export function barColor(name: string, part: number, { color, colors: named }: Pick<Panel, 'color' | 'colors'>): Color {
  const weight = part >= heavy ? (['bold'] as const) : part <= faint ? (['dim'] as const) : [];
  return [...new Set([...[stylesByColor.get(named[name] ?? color) ?? 'cyan'].flat(), ...weight])];
}

export function valueColor(value: number, thresholds: Panel['thresholds']): Color {
  const name = thresholds.findLast(({ from }) => value >= from)?.color ?? '';
  return [...new Set(['bold' as const, ...[stylesByColor.get(name) ?? []].flat()])];
}
