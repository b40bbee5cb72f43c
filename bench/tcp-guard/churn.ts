/**
 * Loads tcp-guard with random connections. The budgets bound the growth of its memory and the descriptors that remain.
 * No connection may remain.
 */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { PlaneName } from '../../daemon/plane/choice.ts';
import type { Tally } from '../../daemon/plane/testing/random-connections.ts';
import { freePort } from '../../platform/free-ports.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { median, megabytes } from '../measure/measure.ts';
import { type Row, type Rows, rowsOfParts } from '../measure/row.ts';
import { type SoakDaemon, startSoakDaemon, type Tables } from './soak/daemon.ts';
import { type Program, startProgram } from './soak/program.ts';

interface Churn {
  readonly plane: PlaneName;
  readonly workers: number;
  readonly minutes: number;
}

const churns: Readonly<Record<string, Churn>> = {
  net: { plane: 'net', workers: 1, minutes: 3 },
  linux: { plane: 'linux', workers: 1, minutes: 10 },
  workers: { plane: 'linux', workers: 2, minutes: 3 },
};

const seconds = 60;
const mostPerMinute = 1_000_000;
/**
 * Number of descriptors that may remain. The daemon opens some only at first use and keeps them, such as those of the
 * ban store.
 */
const descriptorBudget = 16;
const growthBudget = 1.1;

/** The state after a minute of load, and at most ten seconds in which the connections end. */
interface Sample extends Tally {
  readonly open: number;
  /** Resident bytes of each process, and bytes that its heap references. */
  readonly resident: readonly number[];
  readonly held: readonly number[];
  /** Number of descriptors of pipes, and number of other descriptors. */
  readonly pipes: number;
  readonly others: number;
  readonly tables: Tables;
}

function countDescriptors(daemon: SoakDaemon): Pick<Sample, 'pipes' | 'others'> {
  const targets = daemon.descriptors();
  const pipes = targets.filter((target) => target.startsWith('pipe:')).length;
  return { pipes, others: targets.length - pipes };
}

async function runMinute(daemon: SoakDaemon, ends: Program, port: number): Promise<Sample> {
  ends.child.stdin?.write(`${port} ${seconds} ${mostPerMinute}\n`);
  const tally = await ends.nextLine<Tally>();
  const open = await daemon.waitUntilSettled();
  const processes = await daemon.collectMemory();
  const sample = {
    ...tally,
    open,
    resident: processes.map(({ residentBytes }) => residentBytes),
    held: processes.map(({ heapBytes }) => heapBytes),
    ...countDescriptors(daemon),
    tables: (await daemon.stats()).tables,
  };
  process.stderr.write(`${JSON.stringify(sample)}\n`);
  return sample;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Returns the medians of the middle third and of the last third of the samples. */
function lastThirds(samples: readonly Sample[], of: (sample: Sample) => number): readonly [number, number] {
  const length = Math.max(1, Math.floor(samples.length / 3));
  const middle = (from: number) => median(samples.slice(from, from + length).map(of));
  return [middle(samples.length - 2 * length), middle(samples.length - length)];
}

function growthRow(name: string, samples: readonly Sample[], of: (sample: Sample) => number): Row {
  const [earlier, later] = lastThirds(samples, of);
  return {
    name,
    measured: megabytes(later),
    against: `${megabytes(earlier)} a third earlier`,
    ratio: later / earlier,
    budget: `<= ${growthBudget}`,
    holds: later / earlier <= growthBudget,
  };
}

function rowsOf(
  name: string,
  churn: Churn,
  before: Pick<Sample, 'pipes' | 'others'>,
  samples: readonly Sample[],
): Row[] {
  const last = samples.at(-1) as Sample;
  const total = (of: (sample: Sample) => number): number => sum(samples.map(of));
  const [pipes, others] = [last.pipes - before.pipes, last.others - before.others];
  const label = `churn ${name}, ${total(({ connections }) => connections)} connections, ${total(({ stalls }) => stalls)} stalls`;
  const bounded = Object.values(last.tables).every(({ entries, capacity }) => entries <= capacity);
  return [
    {
      name: `${label}: connections, descriptors and pipes that stay`,
      measured: `${last.open}, ${others}, ${pipes / 2}`,
      against: `${megabytes(total(({ bytes }) => bytes))} moved, each byte checked`,
      budget: `0, <= ${descriptorBudget}, <= ${daemonBounds.pipes * churn.workers}; tables within their bounds`,
      holds:
        last.open === 0 && others <= descriptorBudget && pipes <= 2 * daemonBounds.pipes * churn.workers && bounded,
    },
    growthRow(`churn ${name}, memory held by the heap of all processes`, samples, ({ held }) => sum(held)),
    growthRow(`churn ${name}, memory of all processes`, samples, ({ resident }) => sum(resident)),
  ];
}

async function runChurn(name: string, churn: Churn): Promise<Row[]> {
  const folder = scratchFolder('guard-churn-');
  const seed = Date.now() % 2 ** 31;
  process.stderr.write(`churn ${name}: seed ${seed}\n`);
  const ends = startProgram('soak/ends.js', seed);
  let daemon: SoakDaemon | undefined;
  try {
    const [upstream] = await ends.nextLine<[number]>();
    const port = await freePort();
    const services = `services: {one: {listen: "127.0.0.1:${port}", upstream: "127.0.0.1:${upstream}"}}`;
    daemon = await startSoakDaemon(folder, { ...churn, services });
    const before = countDescriptors(daemon);
    const samples: Sample[] = [];
    while (samples.length < churn.minutes) samples.push(await runMinute(daemon, ends, port));
    return rowsOf(name, churn, before, samples);
  } finally {
    await daemon?.stop();
    await ends.stop();
  }
}

export const benchChurn = (parts: readonly string[]): Rows =>
  rowsOfParts(
    parts,
    Object.entries(churns).map(([name, churn]) => [name, () => runChurn(name, churn)]),
  );
