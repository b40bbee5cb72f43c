/**
 * Loads tcp-guard with idle connections, slow readers and a flood at the same time, then with random connections for
 * minutes, then with clients that make it hold bytes.
 */
import { freePort } from '../../platform/free-ports.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { type Row, type Rows, rowsOfParts } from '../measure/row.ts';
import { type SoakDaemon, type SoakSetting, startSoakDaemon } from './soak/daemon.ts';
import { heldRows } from './soak/held.ts';
import { loadRows } from './soak/load.ts';
import { startProgram } from './soak/program.ts';
import { countDescriptors, randomRows } from './soak/random.ts';
import { type SoakPorts, servicesText, soakListeners } from './soak/services.ts';

interface Setting {
  readonly plane: SoakSetting['plane'];
  /** Only random connections are measured with more than one worker. */
  readonly workers: number;
  /** Duration of random connections. */
  readonly minutes: number;
}

const settings: Readonly<Record<string, Setting>> = {
  net: { plane: 'net', workers: 1, minutes: 3 },
  linux: { plane: 'linux', workers: 1, minutes: 10 },
  workers: { plane: 'linux', workers: 2, minutes: 3 },
};
/** `auto` is the packaged default: a coordinator and one worker, which have the memory of a container together. */
const heldPlanes = ['net', 'linux', 'auto'] as const;

async function* soak({ plane, workers, minutes }: Setting): AsyncGenerator<Row> {
  const upstream = startProgram('soak/upstream.js');
  const seed = Date.now() % 2 ** 31;
  process.stderr.write(`random connections: seed ${seed}\n`);
  const ends = startProgram('soak/clients.js', 'random', seed);
  let daemon: SoakDaemon | undefined;
  try {
    const upstreams = await upstream.nextLine<{ echo: number; source: number }>();
    const [random] = await ends.nextLine<[number]>();
    const free = await Promise.all(soakListeners.map(async (name) => [name, await freePort()]));
    const ports = Object.fromEntries(free) as SoakPorts;
    const text = servicesText(ports, { ...upstreams, random });
    daemon = await startSoakDaemon(scratchFolder('guard-soak-'), { plane, workers, services: text });
    const before = countDescriptors(daemon);
    if (workers === 1) yield* await loadRows(daemon, ports);
    yield* await randomRows(daemon, { ends, port: ports.random, minutes, workers, before });
  } finally {
    await daemon?.stop();
    await ends.stop();
    await upstream.stop();
  }
}

async function* held(plane: SoakSetting['plane']): AsyncGenerator<Row> {
  const upstream = startProgram('soak/upstream.js');
  try {
    yield* heldRows(plane, (await upstream.nextLine<{ silent: number }>()).silent);
  } finally {
    await upstream.stop();
  }
}

async function* named(name: string, rows: AsyncGenerator<Row>): AsyncGenerator<Row> {
  for await (const row of rows) yield { ...row, name: `soak ${name}, ${row.name}` };
}

export const benchSoak = (parts: readonly string[]): Rows =>
  rowsOfParts(parts, [
    ...Object.entries(settings).map(([name, setting]) => [name, () => named(name, soak(setting))] as const),
    ...heldPlanes.map((plane) => [`held-${plane}`, () => named(`held-${plane}`, held(plane))] as const),
  ]);
