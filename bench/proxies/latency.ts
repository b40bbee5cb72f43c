import { Agent } from 'node:http';
import { repeatDuring } from '../measure/measure.ts';
import { send } from './bodies/send.ts';

/** Sends benign requests until `work` is done. Returns the durations in milliseconds, ascending. */
export async function latencies(url: string, work: Promise<unknown>): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const samples: number[] = [];
  await repeatDuring(work, async () => {
    const began = performance.now();
    await send(url, agent);
    samples.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 5));
  });
  agent.destroy();
  return samples.sort((one, other) => one - other);
}

export const quantile = (samples: readonly number[], share: number): number =>
  samples[Math.floor(samples.length * share)] ?? Number.NaN;
