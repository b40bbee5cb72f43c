/** What is given hostile inputs: how one is made, and what has to hold for it. */
import { createRandom, type Random } from '../differential/random.ts';

export interface Target {
  readonly name: string;
  /** Plays `count` inputs, which depend on `seed` alone. What is wrong with the first that fails; undefined: nothing. */
  readonly run: (count: number, seed: number) => string | undefined | Promise<string | undefined>;
}

interface Trial<Input> {
  readonly name: string;
  readonly make: (random: Random) => Input;
  /** Throws, or rejects, when something does not hold. */
  readonly check: (input: Input) => unknown;
}

/** Milliseconds of processor time for one input: they have at most some kilobytes, so that more is as bad as no end. */
const mostMs = 2000;

const usedMs = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

async function faultOf<Input>(check: Trial<Input>['check'], input: Input): Promise<string | undefined> {
  const start = process.cpuUsage();
  try {
    const checking = check(input);
    if (checking instanceof Promise) await checking;
  } catch (error) {
    return (error as Error).stack ?? String(error);
  }
  const taken = usedMs(start);
  return taken > mostMs ? `it took ${Math.round(taken)} ms` : undefined;
}

const shown = (input: unknown): string =>
  input instanceof Uint8Array ? Buffer.from(input).toString('base64') : JSON.stringify(input);

export function target<Input>({ name, make, check }: Trial<Input>): Target {
  const run = async (count: number, seed: number) => {
    const random = createRandom(seed);
    for (let index = 0; index < count; index += 1) {
      const input = make(random);
      const what = await faultOf(check, input);
      if (what !== undefined) return `input ${index}, ${shown(input)}: ${what}`;
    }
    return undefined;
  };
  return { name, run };
}
