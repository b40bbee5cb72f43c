/** Repeats measurements during which the hypervisor took time from the processors. */
import { readFileSync } from 'node:fs';

const mostStolenShare = 0.03;
const mostRepeats = 5;

interface Times {
  readonly stolen: number;
  readonly all: number;
}

/** Sums the ticks of the named processors, or of all; proc_stat(5). `stat` is the text of /proc/stat. */
export function tickSumsOf(stat: string, processors: readonly string[]): Times {
  const lines = [...stat.matchAll(/^cpu(\d+) (.*)$/gm)].filter(
    ([, name = '']) => processors.length === 0 || processors.includes(name),
  );
  const columns = lines.map(([, , values = '']) => values.split(' ').map(Number));
  const sum = (values: readonly number[]) => values.reduce((one, other) => one + other, 0);
  return {
    stolen: sum(columns.map(([, , , , , , , steal = 0]) => steal)),
    all: sum(columns.map((values) => sum(values.slice(0, 8)))), // guest time is part of user time
  };
}

const readStat = (): string => readFileSync('/proc/stat', 'utf8');

/** Number of repeated rounds, largest share of stolen time, and number of disturbed rounds that count nevertheless. */
const disturbances = { repeated: 0, largestShare: 0, kept: 0 };

/**
 * Repeats the measurement while the hypervisor takes too much time, but at most `mostRepeats` times: then the last one
 * counts. `processors` has names; an empty list means all processors. `read` returns the text of /proc/stat.
 */
export async function measureUndisturbed<Value>(
  measure: () => Value | Promise<Value>,
  processors: readonly string[] = [],
  read: () => string = readStat,
): Promise<Value> {
  for (let repeats = 0; ; repeats += 1) {
    const before = tickSumsOf(read(), processors);
    const value = await measure();
    const after = tickSumsOf(read(), processors);
    const share = (after.stolen - before.stolen) / Math.max(1, after.all - before.all);
    if (share <= mostStolenShare) return value;
    disturbances.largestShare = Math.max(disturbances.largestShare, share);
    if (repeats === mostRepeats) {
      disturbances.kept += 1;
      return value;
    }
    disturbances.repeated += 1;
  }
}

/** Describes the disturbances since the last call and resets them. Returns undefined when there were none. */
export function drainDisturbances(): string | undefined {
  const { repeated, largestShare, kept } = disturbances;
  Object.assign(disturbances, { repeated: 0, largestShare: 0, kept: 0 });
  if (repeated + kept === 0) return undefined;
  const share = `${(largestShare * 100).toFixed(0)} %`;
  const counted = kept > 0 ? `; ${kept} disturbed rounds count, because ${mostRepeats} repetitions did not help` : '';
  return `${repeated} rounds were repeated: up to ${share} of the processors' time was stolen${counted}`;
}
