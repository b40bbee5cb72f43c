/** One line of what `npm run bench` prints. */
export interface Row {
  readonly name: string;
  /** What was measured, with its unit. */
  readonly measured: string;
  /** What it is set against in the same run; absent for plain figures. */
  readonly against?: string;
  readonly ratio?: number;
  /** The bound we hold ourselves to, in words. */
  readonly budget: string;
  readonly holds: boolean;
}

/** All rows at the end, or each when it is measured. */
export type Rows = Promise<Iterable<Row>> | AsyncIterable<Row>;

/** What could not be measured, and why. */
export const failedRow = (name: string, error: unknown): Row => ({
  ...{ name, measured: `failed: ${String(error).trim().replaceAll(/\s+/g, ' ')}` },
  ...{ budget: 'measured', holds: false },
});

/** The rows, or a failing one in the place of those that are missing. */
export async function* rowsIn(name: string, run: () => Rows): AsyncGenerator<Row> {
  try {
    yield* await run();
  } catch (error) {
    yield failedRow(name, error);
  }
}

/** The rows of the named parts, one after the other; none: of all. A part that fails does not end the others. */
export async function* rowsOfParts(
  parts: readonly string[],
  runs: readonly (readonly [part: string, run: () => Rows])[],
): AsyncGenerator<Row> {
  for (const [part, run] of runs) if (parts.length === 0 || parts.includes(part)) yield* rowsIn(part, run);
}

export interface Benchmark {
  readonly name: string;
  readonly summary: string;
  /** A test image with the programs that it needs: wrk and nginx, or also the relays. */
  readonly inTestImage?: 'full' | 'relay';
  /** Settings of the network of the container, which is separate. */
  readonly sysctls?: readonly string[];
  /** Of the container, besides those of every one. */
  readonly capabilities?: readonly string[];
  /**
   * Runs the benchmark. `parts` come from the command line, after the name and a slash, such as `relay/new`. Empty:
   * everything.
   */
  readonly run: (parts: readonly string[]) => Rows;
}
