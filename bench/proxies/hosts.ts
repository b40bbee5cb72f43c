/** Runs one benchmark on each proxy. */

import { scratchFolder } from '../../platform/scratch-folder.ts';
import { type Row, type Rows, rowsOfParts } from '../measure/row.ts';
import type { Running } from './side-by-side.ts';

/** For each name of a proxy, a function that starts it with a guard. It gets an empty folder for its files. */
export type Hosts = Readonly<Record<string, (folder: string) => Promise<Running>>>;

/** Measures one proxy under load. `idle` is a second instance for comparison. */
type Bench = (host: string, loaded: Running, idle: Running) => Rows;

async function* benchHost(host: string, startHost: Hosts[string], bench: Bench): AsyncGenerator<Row> {
  await using loaded = await startHost(scratchFolder('guard-bench-'));
  await using idle = await startHost(scratchFolder('guard-bench-'));
  yield* await bench(host, loaded, idle);
}

/** @param parts names of proxies; empty: all */
export const rowsOfHosts = (parts: readonly string[], hosts: Hosts, bench: Bench): Rows =>
  rowsOfParts(
    parts,
    Object.entries(hosts).map(([host, startHost]) => [host.toLowerCase(), () => benchHost(host, startHost, bench)]),
  );
