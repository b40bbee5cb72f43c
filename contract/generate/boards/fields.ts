import { FieldColorModeId, type FieldConfigSource, type Threshold, type ThresholdsMode } from '@grafana/schema';
import type { gateways } from '../../events/members.ts';
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

const gatewayColors: Readonly<Record<(typeof gateways)[number] | 'tcp-guard', string>> = {
  ...{ caddy: 'blue', traefik: 'green', nginx: 'purple', 'tcp-guard': 'orange' },
};

export const fixedColorMode = (fixedColor: string) => ({ mode: FieldColorModeId.Fixed, fixedColor });

/** Returns field options that show exact counts. The unit `short` would show 3,052 as 3 K. */
export const fieldOptions = (
  defaults: FieldConfigSource['defaults'],
  overrides: FieldConfigSource['overrides'] = [],
): FieldConfigSource => ({
  defaults: { unit: 'locale', decimals: 0, noValue, ...defaults },
  overrides,
});

export const thresholdSteps = (
  mode: ThresholdsMode,
  ...list: readonly (readonly [value: number | null, color: string])[]
) => ({
  mode,
  steps: list.map(([value, color]): Threshold => ({ value, color })),
});

/** Shades of a gateway's color in a chart of gateways and outcomes. Grafana names a shade as `light-blue`. */
const outcomeShades = {
  blocked: '',
  detected: 'light-',
  auth_failure: 'semi-dark-',
  banned: 'dark-',
  allowed: 'super-light-',
};

const combinedColors = Object.fromEntries(
  Object.entries(gatewayColors).flatMap(([gateway, color]) =>
    Object.entries(outcomeShades).map(([outcome, shade]) => [`${gateway} ${outcome}`, shade + color]),
  ),
);

/** Colors of the series of a legend, the same on every dashboard and in every range. Grafana chooses those of others. */
const legendColors: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '{{action}}': outcomeColors,
  '{{gateway}} {{action}}': combinedColors,
};

export const seriesColors = (legend: string) =>
  Object.entries(legendColors[legend] ?? {}).map(([name, color]) => ({
    matcher: { id: 'byName', options: name },
    properties: [{ id: 'color', value: fixedColorMode(color) }],
  }));

export type Described = Pick<PanelRow, 'title' | 'description' | 'width'>;

/** Text of a panel whose query found nothing or failed: Grafana cannot show which. A number always comes from Loki. */
const noValue = 'no data';

export const instantQuery = (expr: string) => [{ refId: 'A', datasource, expr, queryType: 'instant' }];
export const rangeQuery = (expr: string, legendFormat: string) => [
  { refId: 'A', datasource, expr, queryType: 'range', legendFormat },
];
