/** Measures the latency of benign requests while clients read endless responses. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { buildArtefact } from '../../artefacts/build.ts';
import { endChild } from '../../platform/testing/child.ts';
import { byLength } from '../measure/length.ts';
import type { Row, Rows } from '../measure/row.ts';
import { measureUndisturbed } from '../measure/steal.ts';
import { startCaddy } from './caddy.ts';
import { type Hosts, rowsOfHosts } from './hosts.ts';
import { latencies, quantile } from './latency.ts';
import { startNginx } from './nginx.ts';
import type { Running } from './side-by-side.ts';
import type { Read, Reading } from './streams/readers.ts';
import { startGuardedTraefik } from './traefik.ts';

/** Number of readers. All of them can get a response, because the default of max_held is the same. */
const readers = 256;
const seconds = (): number => byLength(10, 4);
const medianMs = 5;

const hosts: Hosts = {
  Caddy: async (folder) =>
    startCaddy(
      await buildArtefact('caddy', {}),
      folder,
      'streams',
      'guard {\n\t\t\tresponse {\n\t\t\t\tmode infinite_stream\n\t\t\t}\n\t\t}',
    ),
  Traefik: (folder) => startGuardedTraefik(folder, { response: { mode: 'infinite_stream' } }),
  nginx: async (folder) => {
    writeFileSync(join(folder, 'index.txt'), 'benign');
    const nginx = await startNginx(folder, '{ response = { mode = "infinite_stream" } }');
    return { ...nginx, url: `${nginx.url}/index.txt` };
  },
};

/**
 * Measures requests to two proxies while clients read from the first. The idle one shows how much the busy processors
 * alone delay a request.
 */
async function measure(read: Running, idle: Running) {
  const child = fork(join(import.meta.dirname, `streams/readers${extname(import.meta.filename)}`));
  try {
    child.send({ port: Number(new URL(read.url).port), readers, seconds: seconds() } satisfies Reading);
    const work = once(child, 'message').then(([message]) => message as Read);
    const [beside, apart] = await Promise.all([latencies(read.url, work), latencies(idle.url, work)]);
    return { beside, apart, read: await work };
  } finally {
    await endChild(child);
  }
}

async function rowsOf(host: string, loaded: Running, idle: Running): Promise<Row[]> {
  const { beside, apart, read } = await measureUndisturbed(() => measure(loaded, idle));
  const [median, idleMedian] = [quantile(beside, 0.5), quantile(apart, 0.5)];
  return [
    {
      name: `${host}, median of a benign request while ${readers} clients read infinite_stream`,
      measured: `${median.toFixed(1)} ms`,
      against: `idle proxy ${idleMedian.toFixed(1)} ms; p95 ${quantile(beside, 0.95).toFixed(1)} ms`,
      budget: `< ${medianMs} ms more than an idle proxy`,
      holds: median - idleMedian < medianMs,
    },
    {
      name: `${host}, readers of infinite_stream without a response`,
      measured: `${read.unanswered} of ${readers}`,
      against: `${(read.bytes / 2 ** 20 / seconds()).toFixed(1)} MiB/s; ${read.refused} refused`,
      budget: 'none',
      holds: read.unanswered + read.refused === 0,
    },
  ];
}

export const benchStreams = (parts: readonly string[]): Rows => rowsOfHosts(parts, hosts, rowsOf);
