/** A measured value with its budget: a line of the output of `npm run bench`. */
export interface Row {
  readonly name: string;
  /** The value with its unit. */
  readonly measured: string;
  /** The value of another measurement in the same run. */
  readonly against?: string;
  readonly ratio?: number;
  /** The condition that the value must meet, as text, such as `<= 2000 ms`. */
  readonly budget: string;
  readonly holds: boolean;
}

/** The rows of a benchmark: all at the end, or each when it is measured. */
export type Rows = Promise<Iterable<Row>> | AsyncIterable<Row>;

export const failedRow = (name: string, error: unknown): Row => ({
  ...{ name, measured: `failed: ${String(error).trim().replaceAll(/\s+/g, ' ')}` },
  ...{ budget: 'measured', holds: false },
});

/** Yields the rows of `run`, and a failed row when it throws. */
export async function* rowsIn(name: string, run: () => Rows): AsyncGenerator<Row> {
  try {
    yield* await run();
  } catch (error) {
    yield failedRow(name, error);
  }
}

/** Runs the named parts, or all if none is named. A part that fails does not end the others. @throws Error for a wrong name */
export async function* rowsOfParts(
  parts: readonly string[],
  runs: readonly (readonly [part: string, run: () => Rows])[],
): AsyncGenerator<Row> {
  const names = runs.map(([part]) => part);
  const unknown = parts.find((part) => !names.includes(part));
  if (unknown !== undefined) throw new Error(`no part ${unknown}; there are ${names.join(', ')}`);
  for (const [part, run] of runs) if (parts.length === 0 || parts.includes(part)) yield* rowsIn(part, run);
}

export interface Benchmark {
  readonly name: string;
  readonly summary: string;
  /** `full` has wrk and the proxies, `relay` has wrk, iperf3 and the relays, `tools` has nginx, other tools and wrk. */
  readonly inTestImage?: 'full' | 'relay' | 'tools';
  /** A run of all benchmarks leaves it out: it takes many minutes. */
  readonly isNamedOnly?: boolean;
  /** Kernel settings of the container's network namespace. */
  readonly sysctls?: readonly string[];
  /** Capabilities of the container in addition to the default ones. */
  readonly capabilities?: readonly string[];
  /** `parts` come from the command line, such as `new` of `relay/new`. Empty: everything. */
  readonly run: (parts: readonly string[]) => Rows;
}
