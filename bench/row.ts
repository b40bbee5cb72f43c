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

export interface Benchmark {
  readonly name: string;
  readonly summary: string;
  /** It needs wrk, nginx, HAProxy or iperf3, which the test image has. */
  readonly inTestImage?: true;
  /** Settings of the network of the container, which is separate. */
  readonly sysctls?: readonly string[];
  readonly run: () => Promise<Row[]>;
}
