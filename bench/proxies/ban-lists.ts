/** Measures each proxy with a ban list of 100,000 ranges: clean clients, a new file each second, and memory. */
import { writeFileSync } from 'node:fs';
import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildArtefact } from '../../artefacts/build.ts';
import { compiledTraefik } from '../../cli/build/cached.ts';
import { rangeLines } from '../../contract/policy/ban-list.ts';
import { banListFile } from '../../engine/ban-list-file.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { byLength } from '../measure/length.ts';
import { median, megabytes, residentBytes, samplesInTurn } from '../measure/measure.ts';
import { type Row, type Rows, rowsOfParts } from '../measure/row.ts';
import { seconds, writeBanList } from './ban-list-file.ts';
import { startCaddy } from './caddy.ts';
import { latencies, quantile } from './latency.ts';
import { startNginx } from './nginx.ts';
import { type Running, sideBySide } from './side-by-side.ts';
import { addPlugin, routeToPing, startTraefik } from './traefik.ts';

const rangeCount = 100_000;
const secondsPerRound = 6;
const largestLatencyRatio = 1.2;
const addedMegabytes = 12;

interface Host {
  /** Starts the proxy in a folder, with the list at a path if there is one. */
  readonly start: (folder: string, list?: string) => Promise<Running>;
  /** CPU microseconds that the list may add to a request of a clean client. */
  readonly moreMicroseconds: number;
}

const traefik = async (binary: string, folder: string, file?: string): Promise<Running> => {
  addPlugin(folder);
  return startTraefik(binary, folder, 'traefik', routeToPing, file === undefined ? {} : { banList: { file } });
};

const hosts: Readonly<Record<string, Host>> = {
  Caddy: {
    start: async (folder, file) => {
      const options = file === undefined ? '' : ` {\n\t\t\tban_list {\n\t\t\t\tfile ${file}\n\t\t\t}\n\t\t}`;
      return startCaddy(await buildArtefact('caddy', {}), folder, 'listed', `guard${options}`);
    },
    moreMicroseconds: 0.5,
  },
  Traefik: {
    start: async (folder, file) => traefik(await buildArtefact('traefik', {}), folder, file),
    moreMicroseconds: 8,
  },
  'compiled-Traefik': {
    start: async (folder, file) => traefik(await compiledTraefik(), folder, file),
    moreMicroseconds: 0.5,
  },
  nginx: {
    start: async (folder, file) => {
      writeFileSync(join(folder, 'style.css'), 'a'.repeat(1024));
      const nginx = await startNginx(folder, file === undefined ? '{}' : `{ ban_list = { file = "${file}" } }`);
      return { ...nginx, url: `${nginx.url}/style.css` };
    },
    moreMicroseconds: 1.5,
  },
};

/** Writes two lists, and one that bans this machine. Each can replace the others at `file`: guards ignore a list from an earlier second. */
function writeLists(folder: string) {
  const now = seconds();
  const versions = [1, 2].map((addresses) => {
    const path = join(folder, `bans.${addresses}`);
    writeBanList(path, rangeCount, 37, addresses, now);
    return path;
  });
  const own = join(folder, 'bans.own');
  const start = 0xffff7f000001n; // 127.0.0.1
  writeFileSync(own, banListFile([rangeLines({ start, end: start, until: now + 3600 })], now));
  return { file: join(folder, 'bans'), versions, own };
}

type Lists = ReturnType<typeof writeLists>;

async function put(file: string, content: string): Promise<void> {
  await copyFile(content, `${file}.next`);
  await rename(`${file}.next`, file);
}

const replace = ({ file, versions }: Lists, version: number): Promise<void> =>
  put(file, versions[version % 2] as string);

async function replaceEachSecond(lists: Lists): Promise<void> {
  for (let second = 0; second < secondsPerRound; second++) {
    await replace(lists, second);
    await sleep(1000);
  }
}

async function latencyRow(host: string, listed: Running, lists: Lists): Promise<Row> {
  const p99 = async (work: Promise<unknown>): Promise<number> => quantile(await latencies(listed.url, work), 0.99);
  const [quiet = [], replaced = []] = await samplesInTurn(
    [() => p99(sleep(secondsPerRound * 1000)), () => p99(replaceEachSecond(lists))],
    { rounds: byLength(7, 1) },
  );
  const [before, during] = [median(quiet), median(replaced)];
  return {
    name: `${host}, 99th percentile of a request with a new ban list each second`,
    measured: `${during.toFixed(2)} ms`,
    against: `${before.toFixed(2)} ms with the same list`,
    ratio: during / before,
    budget: `<= ${largestLatencyRatio} times`,
    holds: during / before <= largestLatencyRatio,
  };
}

/** @throws Error when the proxy does not read its list: it refuses this machine only while the list has it. */
async function proveReading({ url }: Running, lists: Lists): Promise<void> {
  const until = async (status: number) => {
    for (let tries = 0; (await fetch(url)).status !== status; tries++) {
      if (tries === 500) throw new Error(`${url} never has status ${status}: its ban list is not read`);
      await sleep(20);
    }
  };
  await put(lists.file, lists.own);
  await until(403);
  await replace(lists, 0);
  await until(200);
}

/** Compares the memory with that of a proxy without a list, both after requests. */
function memoryRow(host: string, without: Running, listed: Running): Row {
  const added = residentBytes(listed.pid) - residentBytes(without.pid);
  return {
    name: `${host}, memory of a ban list after it was replaced`,
    measured: megabytes(added),
    budget: `<= ${addedMegabytes} MB`,
    holds: added <= addedMegabytes * 1024 * 1024,
  };
}

async function* benchHost(host: string, { start, moreMicroseconds }: Host): AsyncGenerator<Row> {
  const lists = writeLists(scratchFolder('guard-bench-'));
  await replace(lists, 0);
  await using without = await start(scratchFolder('guard-bench-'));
  await using listed = await start(scratchFolder('guard-bench-'), lists.file);
  await proveReading(listed, lists);
  yield* await sideBySide(`${host}, ban list`, { moreMicroseconds }, without, listed);
  yield await latencyRow(host, listed, lists);
  yield memoryRow(host, without, listed);
}

export const benchBanLists = (parts: readonly string[]): Rows =>
  rowsOfParts(
    parts,
    Object.entries(hosts).map(([name, host]) => [name.toLowerCase(), () => benchHost(name, host)]),
  );
