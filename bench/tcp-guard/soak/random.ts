/**
 * Random connections without a pause. The budgets bound the growth of the daemon's memory, and the descriptors that
 * remain of all loads. No connection may remain.
 */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Tally } from '../../../daemon/plane/testing/random-connections.ts';
import { median, megabytes } from '../../measure/measure.ts';
import type { Row } from '../../measure/row.ts';
import type { CollectedMemory } from './collected.ts';
import type { SoakDaemon, Tables } from './daemon.ts';
import type { Program } from './program.ts';

const seconds = 60;
const mostPerMinute = 1_000_000;
/** The daemon opens some descriptors only at first use and keeps them, such as those of the ban store. */
const descriptorBudget = 16;
const growthBudget = 1.1;

interface Descriptors {
  readonly pipes: number;
  readonly others: number;
}

/** The state after a minute of load, and at most ten seconds in which the connections end. */
interface Sample extends Tally, CollectedMemory, Descriptors {
  readonly open: number;
  readonly tables: Tables;
}

interface RandomLoad {
  readonly ends: Program;
  readonly port: number;
  readonly minutes: number;
  readonly workers: number;
  /** Descriptors before the first load. */
  readonly before: Descriptors;
}

export function countDescriptors(daemon: SoakDaemon): Descriptors {
  const targets = daemon.descriptors();
  const pipes = targets.filter((target) => target.startsWith('pipe:')).length;
  return { pipes, others: targets.length - pipes };
}

async function runMinute(daemon: SoakDaemon, { ends, port }: RandomLoad): Promise<Sample> {
  ends.child.stdin?.write(`${port} ${seconds} ${mostPerMinute}\n`);
  const tally = await ends.nextLine<Tally>();
  const open = await daemon.waitUntilSettled();
  const memory = await daemon.collectMemory();
  const sample = { ...tally, ...memory, ...countDescriptors(daemon), open, tables: (await daemon.stats()).tables };
  process.stderr.write(`${JSON.stringify(sample)}\n`);
  return sample;
}

/** Compares the medians of the middle third and of the last third of the samples. */
function growthRow(name: string, samples: readonly Sample[], of: (sample: Sample) => number): Row {
  const length = Math.max(1, Math.floor(samples.length / 3));
  const middle = (from: number) => median(samples.slice(from, from + length).map(of));
  const [earlier, later] = [middle(samples.length - 2 * length), middle(samples.length - length)];
  return {
    name,
    measured: megabytes(later),
    against: `${megabytes(earlier)} a third earlier`,
    ratio: later / earlier,
    budget: `<= ${growthBudget}`,
    holds: later / earlier <= growthBudget,
  };
}

export async function randomRows(daemon: SoakDaemon, load: RandomLoad): Promise<Row[]> {
  const samples: Sample[] = [];
  while (samples.length < load.minutes) samples.push(await runMinute(daemon, load));
  const last = samples.at(-1) as Sample;
  const total = (of: (sample: Sample) => number): number => samples.reduce((sum, sample) => sum + of(sample), 0);
  const [pipes, others] = [last.pipes - load.before.pipes, last.others - load.before.others];
  const mostPipes = daemonBounds.pipes * load.workers;
  const label = `${total(({ connections }) => connections)} random connections, ${total(({ stalls }) => stalls)} stalls`;
  const isBounded = Object.values(last.tables).every(({ entries, capacity }) => entries <= capacity);
  return [
    {
      name: `${label}: connections, descriptors and pipes that stay`,
      measured: `${last.open}, ${others}, ${pipes / 2}`,
      against: `${megabytes(total(({ bytes }) => bytes))} moved, each byte checked`,
      budget: `0, <= ${descriptorBudget}, <= ${mostPipes}; tables within their bounds`,
      holds: last.open === 0 && others <= descriptorBudget && pipes <= 2 * mostPipes && isBounded,
    },
    growthRow('memory held by the heap of all processes', samples, ({ heapBytes }) => heapBytes),
    growthRow('memory of all processes', samples, ({ residentBytes }) => residentBytes),
  ];
}
