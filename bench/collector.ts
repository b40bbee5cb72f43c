/** The collector of the dashboard: events a second of one core, events that are lost while Loki restarts, and latency. */

import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { auditLine, blockLine } from '../cli/dashboard/report/examples.ts';
import { until } from '../platform/until.ts';
import { type CollectorProcess, startCollector } from '../sandbox-images/testing/collector.ts';
import { type LokiProcess, startLoki } from '../sandbox-images/testing/loki.ts';
import { cpuSeconds } from './measure.ts';
import type { Row } from './row.ts';
import { undisturbed } from './steal.ts';

const [rounds, lines] = [3, 200_000];
const rateBudget = 20_000;
const [perSecond, seconds] = [5000, 300];
const [probes, probeMs, latencyBudget] = [600, 50, 3000];

/** Two events of a gateway for one of tcp-guard. */
function line(number: number): string {
  const timestamp = new Date().toISOString();
  return number % 3 < 2
    ? blockLine({ timestamp, path: `/${number}/.env`, client_ip: `192.0.2.${number % 250}` })
    : auditLine({ timestamp, client_ip: `192.0.2.${number % 250}` });
}

const text = (from: number, count: number): string =>
  Array.from({ length: count }, (_, index) => `${line(from + index)}\n`).join('');

/** Takes what the collector sends. Loki would use the same processors. */
async function startSink() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** What a run has started, and ends after it. */
type Run = Parameters<typeof startCollector>[0];

async function withEnds<Result>(work: (run: Run) => Promise<Result>): Promise<Result> {
  await using ends = new AsyncDisposableStack();
  return await work({ after: (end) => ends.defer(end as () => Promise<void>) });
}

/** Runs `work` with a collector that sends to a Loki. */
const withStack = <Result>(
  work: (loki: LokiProcess, collector: CollectorProcess) => Promise<Result>,
): Promise<Result> =>
  withEnds(async (run) => {
    const loki = await startLoki();
    run.after(loki.remove);
    return work(loki, await startCollector(run, loki.address));
  });

/** CPU seconds until the collector rests: it has sent everything. */
async function cpuOf(pid: number, before: number): Promise<number> {
  const restingMs = 2000;
  for (let last = before; ; ) {
    await sleep(restingMs);
    const now = cpuSeconds(pid);
    if (now > before + 0.5 && now - last < 0.1) return now - before;
    last = now;
  }
}

/** Events that one core reads, parses and sends in a second of its time. Time that other programs take is not in it. */
async function coreRate(): Promise<Row> {
  const sink = await startSink();
  const core = '0';
  const rateOfOne = () =>
    withEnds(async (run) => {
      const collector = await startCollector(run, sink.url, ['taskset', '-c', core]);
      const before = cpuSeconds(collector.pid());
      writeFileSync(join(collector.logs, 'events.jsonl'), text(0, lines));
      return lines / (await cpuOf(collector.pid(), before));
    });
  const rates: number[] = [];
  while (rates.length < rounds) rates.push(await undisturbed(rateOfOne, [core]));
  sink.close();
  const rate = Math.round(Math.max(...rates));
  return {
    name: 'collector, one core',
    measured: `${rate.toLocaleString('en')} events/s of CPU time`,
    budget: `at least ${rateBudget.toLocaleString('en')}`,
    holds: rate >= rateBudget,
  };
}

const range = '24h';

async function countIn({ address }: LokiProcess, selector: string): Promise<number> {
  const query = new URLSearchParams({ query: `sum(count_over_time(${selector}[${range}]))` });
  const response = await fetch(`${address}/loki/api/v1/query?${query}`);
  if (!response.ok) return 0;
  const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } };
  return Number(data.result[0]?.value[1] ?? 0);
}

/** Writes at a rate, however late each turn comes. */
async function writeFor(milliseconds: number, write: (from: number, count: number) => void): Promise<number> {
  const start = performance.now();
  let written = 0;
  for (let passed = 0; passed < milliseconds; ) {
    await sleep(20);
    passed = Math.min(performance.now() - start, milliseconds);
    const due = Math.floor((passed / 1000) * perSecond);
    write(written, due - written);
    written = due;
  }
  return written;
}

/** A steady load, with a Loki that is stopped in the middle. */
const restart = (): Promise<Row> =>
  withStack(async (loki, { logs }) => {
    const file = join(logs, 'events.jsonl');
    const writing = writeFor(seconds * 1000, (from, count) => appendFileSync(file, text(from, count)));
    await sleep((seconds * 1000) / 2);
    await loki.stop();
    await sleep(10_000);
    await loki.start();
    const written = await writing;
    const ended = performance.now();
    let counted = 0;
    await until(async () => {
      counted = await countIn(loki, '{app="request-guard"}');
      return counted >= written;
    }).catch(() => {});
    const behind = ((performance.now() - ended) / 1000).toFixed(1);
    return {
      name: `collector, ${perSecond} events/s for ${seconds} s`,
      measured: `${written - counted} of ${written.toLocaleString('en')} lost; ${behind} s behind at the end`,
      budget: 'none lost while Loki restarts',
      holds: counted === written,
    };
  });

/** Paths of the probes that Loki has. */
async function seenIn({ address }: LokiProcess): Promise<string[]> {
  const query = `sum by (path) (count_over_time({gateway="nginx"}[10m]))`;
  const response = await fetch(`${address}/loki/api/v1/query?${new URLSearchParams({ query })}`);
  const { data } = (await response.json()) as { data: { result: { metric: { path: string } }[] } };
  return data.result.map(({ metric }) => metric.path);
}

/** Milliseconds from the event in the file to a query that has it. */
const latency = (): Promise<Row> =>
  withStack(async (loki, { logs }) => {
    const written = new Map<string, number>();
    const delays = new Map<string, number>();
    const write = async () => {
      for (let number = 0; number < probes; number++) {
        const path = `/probe/${number}`;
        written.set(path, performance.now());
        const timestamp = new Date().toISOString();
        appendFileSync(join(logs, 'events.jsonl'), `${blockLine({ timestamp, gateway: 'nginx', path })}\n`);
        await sleep(probeMs);
      }
    };
    const writing = write();
    await until(async () => {
      for (const path of await seenIn(loki))
        if (!delays.has(path)) delays.set(path, performance.now() - (written.get(path) as number));
      return delays.size === probes;
    }, 'the probes');
    await writing;
    const sorted = [...delays.values()].sort((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] as number);
    return {
      name: 'collector, event to Loki',
      measured: `${at(0.5)} ms median, ${at(0.99)} ms p99`,
      budget: `p99 below ${latencyBudget} ms`,
      holds: at(0.99) < latencyBudget,
    };
  });

export async function benchCollector(): Promise<Row[]> {
  return [await coreRate(), await latency(), await restart()];
}
