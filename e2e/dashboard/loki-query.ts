import type { TestContext } from 'node:test';
import { type CollectorProcess, startCollector } from '../../artefacts/testing/collector.ts';
import { type LokiProcess, startLoki } from '../../artefacts/testing/loki.ts';

export interface Stack {
  readonly loki: LokiProcess;
  readonly collector: CollectorProcess;
  readonly query: Query;
}

export type Query = ReturnType<typeof queryOf>;

export interface Found {
  readonly fields: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly line: string;
}

interface Streams {
  readonly data: {
    readonly result: readonly { readonly stream: Record<string, string>; readonly values: [string, string][] }[];
  };
}

const hourMs = 3_600_000;
/** Range of queries. It is a day shorter than the time for which Loki keeps lines. */
const keptMs = 30 * 24 * hourMs;

function queryOf(address: string) {
  const ask = async (path: string, values: Record<string, string>): Promise<unknown> => {
    const response = await fetch(`${address}/loki/api/v1/${path}?${new URLSearchParams(values)}`);
    if (!response.ok) throw new Error(`Loki responds with ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const range = () => ({ start: `${Date.now() - keptMs}000000`, end: `${Date.now() + hourMs}000000` });
  return {
    lines: async (selector: string): Promise<Found[]> => {
      const { data } = (await ask('query_range', { query: selector, limit: '5000', ...range() })) as Streams;
      return data.result.flatMap(({ stream, values }) =>
        values.map(([ns, line]) => ({ fields: stream, at: Number(ns.slice(0, -6)), line })),
      );
    },
    count: async (selector: string): Promise<number> => {
      const query = `sum(count_over_time(${selector}[50h]))`;
      const time = `${Date.now() + hourMs}000000`;
      const { data } = (await ask('query', { query, time })) as { data: { result: { value: [number, string] }[] } };
      return Number(data.result[0]?.value[1] ?? 0);
    },
    series: async (): Promise<Record<string, string>[]> => {
      const found = await ask('series', { 'match[]': '{app="request-guard"}', ...range() });
      return (found as { data: Record<string, string>[] }).data;
    },
  };
}

export async function startStack(t: TestContext, prefix: readonly string[] = []): Promise<Stack> {
  const loki = await startLoki();
  t.after(loki.remove);
  const collector = await startCollector(t, loki.address, prefix);
  return { loki, collector, query: queryOf(loki.address) };
}
