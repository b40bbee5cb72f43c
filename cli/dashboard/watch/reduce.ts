/** Reduces samples to one value, by the calculations of Grafana. */
import type { Sample } from '../loki/result.ts';

type Calculation = (values: readonly number[]) => number;

const sum: Calculation = (values) => values.reduce((all, value) => all + value, 0);
const last: Calculation = (values) => values.at(-1) ?? 0;

const calculations: ReadonlyMap<string, Calculation> = new Map<string, Calculation>([
  ['sum', sum],
  ['mean', (values) => (values.length === 0 ? 0 : sum(values) / values.length)],
  ['max', (values) => values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY)],
  ['min', (values) => values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY)],
  ['count', (values) => values.length],
  ['first', (values) => values[0] ?? 0],
  ['firstNotNull', (values) => values[0] ?? 0],
]);

/** An unknown calculation returns the last value. */
export function reduceSamples(calculation: string, samples: readonly Sample[]): number {
  const values = samples.map(({ value }) => value).filter((value) => !Number.isNaN(value));
  return values.length === 0 ? 0 : (calculations.get(calculation) ?? last)(values);
}
