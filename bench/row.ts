/** One line of the table that `npm run bench` prints. */
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

/** The rows of the named parts, one after the other; none: of all. */
export async function rowsOfParts(
  parts: readonly string[],
  runs: readonly (readonly [part: string, run: () => Promise<Row[]>])[],
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [part, run] of runs) if (parts.length === 0 || parts.includes(part)) rows.push(...(await run()));
  return rows;
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
  /** `parts`: what the command line names after the name and a slash, such as `relay/new`. None: everything. */
  readonly run: (parts: readonly string[]) => Promise<Row[]>;
}
