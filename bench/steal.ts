/** Time that the hypervisor took from the processors. A round with much of it says nothing about a program. */
import { readFileSync } from 'node:fs';

/** The share of stolen time above which a round is repeated, and how often. */
const mostStolen = 0.03;
const mostRepeats = 5;

interface Times {
  readonly stolen: number;
  readonly all: number;
}

/** The sums of the named processors, or of all; proc_stat(5). `stat`: the text of /proc/stat. */
export function timesOf(stat: string, processors: readonly string[]): Times {
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

/** Rounds that were thrown away, and the largest share that was stolen from one. */
const thrown = { rounds: 0, most: 0, kept: 0 };

/**
 * Measures until the hypervisor takes little time from the processors during a round; the last round counts in any case.
 * `processors`: none are all. `read` returns the text of /proc/stat.
 */
export async function undisturbed<Value>(
  measure: () => Value | Promise<Value>,
  processors: readonly string[] = [],
  read: () => string = readStat,
): Promise<Value> {
  for (let repeats = 0; ; repeats += 1) {
    const before = timesOf(read(), processors);
    const value = await measure();
    const after = timesOf(read(), processors);
    const share = (after.stolen - before.stolen) / Math.max(1, after.all - before.all);
    if (share <= mostStolen) return value;
    thrown.most = Math.max(thrown.most, share);
    if (repeats === mostRepeats) {
      thrown.kept += 1;
      return value;
    }
    thrown.rounds += 1;
  }
}

/** Describes what `undisturbed` has thrown away since the last call. Undefined: nothing. */
export function takeThrown(): string | undefined {
  const { rounds, most, kept } = thrown;
  Object.assign(thrown, { rounds: 0, most: 0, kept: 0 });
  if (rounds + kept === 0) return undefined;
  const share = `${(most * 100).toFixed(0)} %`;
  const counted = kept > 0 ? `; ${kept} disturbed rounds count, because ${mostRepeats} repetitions did not help` : '';
  return `${rounds} rounds were repeated: up to ${share} of the processors' time was stolen${counted}`;
}
