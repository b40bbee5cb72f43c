import { FieldColorModeId, type FieldConfigSource, type Threshold, type ThresholdsMode } from '@grafana/schema';
import { datasource, type PanelRow } from './model.ts';

/** Colors of outcomes, which Grafana adapts to its light and dark theme. */
export const outcomeColors: Readonly<Record<string, string>> = {
  blocked: 'red',
  detected: 'orange',
  auth_failure: 'yellow',
  banned: 'purple',
  unbanned: 'blue',
  allowed: 'green',
  unparsed: 'text',
};

const gatewayColors = { caddy: 'blue', traefik: 'green', nginx: 'purple', 'tcp-guard': 'orange' };

export const fixedColorMode = (fixedColor: string) => ({ mode: FieldColorModeId.Fixed, fixedColor });

/** Returns field options that show exact counts. The unit `short` would show 3,052 as 3 K. */
export const fieldOptions = (
  defaults: FieldConfigSource['defaults'],
  overrides: FieldConfigSource['overrides'] = [],
): FieldConfigSource => ({
  defaults: { unit: 'locale', decimals: 0, ...defaults },
  overrides,
});

export const thresholdSteps = (
  mode: ThresholdsMode,
  ...list: readonly (readonly [value: number | null, color: string])[]
) => ({
  mode,
  steps: list.map(([value, color]): Threshold => ({ value, color })),
});

export const seriesColors = Object.entries({ ...outcomeColors, ...gatewayColors }).map(([name, color]) => ({
  matcher: { id: 'byName', options: name },
  properties: [{ id: 'color', value: fixedColorMode(color) }],
}));

export interface Described extends Pick<PanelRow, 'title' | 'description' | 'width'> {
  /** Text that the panel shows when the query returns nothing. */
  readonly none?: string;
}

export const noEvents = 'no events';

export const instantQuery = (expr: string) => [{ refId: 'A', datasource, expr, queryType: 'instant' }];
export const rangeQuery = (expr: string, legendFormat: string) => [
  { refId: 'A', datasource, expr, queryType: 'range', legendFormat },
];
