/**
 * Measures the memory of Traefik while its configuration changes under load. Each change replaces one of 80 routers.
 */
import { Agent, get } from 'node:http';
import { buildArtefact } from '../../artefacts/build.ts';
import { compiledTraefik } from '../../cli/build/cached.ts';
import type { PolicyFile } from '../../contract/policy/schema.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { byLength } from '../measure/length.ts';
import { megabytes, repeatDuring, residentBytes } from '../measure/measure.ts';
import { type Row, rowsIn } from '../measure/row.ts';
import type { Running } from './side-by-side.ts';
import { addPlugin, configure, routes, routeToPing, startTraefik } from './traefik.ts';

const loadedPath = '/products/42';
const changedPath = (change: number): string => `/change-${change}`;
const sites = Array.from({ length: 78 }, (_, index) => `Host(\`site-${index}.example\`)`);
const rulesOf = (change: number): string[] => [...sites, `Path(\`${loadedPath}\`)`, `Path(\`${changedPath(change)}\`)`];
const loadWorkers = 4;
/**
 * Memory samples in each compared group. The largest of a group counts, because garbage is collected only now and then.
 */
const samplesPerGroup = 25;

interface Variant {
  readonly name: string;
  readonly binary: () => Promise<string>;
  readonly changes: () => number;
  readonly policy: (change: number) => PolicyFile;
  /** Maximum ratio of the memory at the end to the memory after 50 changes. Absent: reported only. */
  readonly growth?: number;
}

const newPolicy = (change: number): PolicyFile => ({ blockPatterns: [`^/only-${change}$`] });
const samePolicy = (): PolicyFile => ({});

const variants: readonly Variant[] = [
  {
    name: 'compiled guard, new policies',
    binary: compiledTraefik,
    changes: () => byLength(1000, 300),
    policy: newPolicy,
    growth: 1.05,
  },
  // Fewer changes, because the interpreter needs more processor time for each.
  { name: 'plugin', binary: () => buildArtefact('traefik', {}), changes: () => byLength(300, 100), policy: samePolicy },
  {
    name: 'plugin, new policies',
    binary: () => buildArtefact('traefik', {}),
    changes: () => byLength(100, 75),
    policy: newPolicy,
  },
];

interface Client {
  /** Status of a response, or 0 when there was none. */
  readonly status: (path: string) => Promise<number>;
  readonly close: () => void;
}

function clientOf({ url }: Running): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: loadWorkers + 1 });
  const status = (path: string): Promise<number> =>
    new Promise((resolve) => {
      get(url + path, { agent }, (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
      }).once('error', () => resolve(0));
    });
  return { status, close: () => agent.destroy() };
}

async function reload(
  traefik: Running,
  { status }: Client,
  folder: string,
  changes: number,
  { policy }: Variant,
): Promise<number[]> {
  const memory: number[] = [];
  for (let change = 1; change <= changes; change++) {
    configure(folder, 'reloads', routes(routeToPing, policy(change), rulesOf(change)));
    while ((await status(changedPath(change))) !== 200);
    memory.push(residentBytes(traefik.pid));
  }
  return memory;
}

async function reloadRows(variant: Variant, folder: string): Promise<Row[]> {
  const { name, binary, growth } = variant;
  const changes = variant.changes();
  await using traefik = await startTraefik(await binary(), folder, 'reloads', routeToPing, variant.policy(0));
  const client = clientOf(traefik);
  let [answered, failed] = [0, 0];
  const visit = async (): Promise<void> => {
    const statuses = await Promise.all(Array.from({ length: loadWorkers }, () => client.status(loadedPath)));
    answered += statuses.length;
    failed += statuses.filter((status) => status !== 200).length;
  };
  try {
    const memory = await repeatDuring(reload(traefik, client, folder, changes, variant), visit);
    const early = Math.max(...memory.slice(50 - samplesPerGroup, 50));
    const late = Math.max(...memory.slice(-samplesPerGroup));
    const ratio = late / early;
    return [
      {
        name: `Traefik, ${name}, memory after ${changes} reloads with 80 routers`,
        measured: megabytes(late),
        against: `after 50: ${megabytes(early)}`,
        ratio,
        budget: growth === undefined ? 'reported' : `<= ${growth}`,
        holds: growth === undefined || ratio <= growth,
      },
      {
        name: `Traefik, ${name}, requests that failed during the reloads`,
        measured: `${failed} of ${answered}`,
        budget: '0',
        holds: failed === 0,
      },
    ];
  } finally {
    client.close();
  }
}

export async function* benchTraefikReloads(): AsyncGenerator<Row> {
  const folder = scratchFolder('guard-bench-');
  addPlugin(folder);
  for (const variant of variants) yield* rowsIn(variant.name, () => reloadRows(variant, folder));
}
