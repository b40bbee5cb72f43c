/** Runs one benchmark on each proxy. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stop } from '../measure/process.ts';
import { type Row, type Rows, rowsOfParts } from '../measure/row.ts';
import type { Running } from './side-by-side.ts';

/** For each name of a proxy, a function that starts it with a guard. It gets an empty folder for its files. */
export type Hosts = Readonly<Record<string, (folder: string) => Promise<Running>>>;

/** Measures one proxy under load. `idle` is a second instance for comparison: other work of the processors delays both. */
type Bench = (host: string, loaded: Running, idle: Running) => Rows;

async function* benchHost(host: string, startHost: Hosts[string], bench: Bench): AsyncGenerator<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'guard-bench-'));
  const proxies: Running[] = [];
  try {
    for (const name of ['loaded', 'idle']) {
      mkdirSync(join(folder, name));
      proxies.push(await startHost(join(folder, name)));
    }
    yield* await bench(host, ...(proxies as [Running, Running]));
  } finally {
    for (const { child } of proxies) await stop(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param parts names of proxies; empty: all */
export const rowsOfHosts = (parts: readonly string[], hosts: Hosts, bench: Bench): Rows =>
  rowsOfParts(
    parts,
    Object.entries(hosts).map(([host, startHost]) => [host.toLowerCase(), () => benchHost(host, startHost, bench)]),
  );
