import { createRandom, type Random } from '../differential/random.ts';

export interface Target {
  readonly name: string;
  /** The inputs depend only on `seed`. Returns the fault of the first input that fails. */
  readonly run: (count: number, seed: number) => string | undefined | Promise<string | undefined>;
}

interface Trial<Input> {
  readonly name: string;
  readonly make: (random: Random) => Input;
  readonly check: (input: Input) => unknown;
}

/**
 * Maximum processor time for one input in milliseconds. An input has only a few kilobytes, so a longer run is regarded
 * as an endless loop.
 */
const mostInputMs = 2000;

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
  const elapsedMs = usedMs(start);
  return elapsedMs > mostInputMs ? `it took ${Math.round(elapsedMs)} ms` : undefined;
}

const shownInput = (input: unknown): string =>
  input instanceof Uint8Array ? Buffer.from(input).toString('base64') : JSON.stringify(input);

export function createTarget<Input>({ name, make, check }: Trial<Input>): Target {
  const run = async (count: number, seed: number) => {
    const random = createRandom(seed);
    for (let index = 0; index < count; index += 1) {
      const input = make(random);
      const fault = await faultOf(check, input);
      if (fault !== undefined) return `input ${index}, ${shownInput(input)}: ${fault}`;
    }
    return undefined;
  };
  return { name, run };
}
