/** Counts of one service since the start of the process. */
/** A connection that is still being relayed. */
interface Relayed {
  readonly bytesIn: () => number;
  readonly bytesOut: () => number;
}

export interface Counts {
  allowed: number;
  blocked: number;
  /** Bytes that were relayed, of connections that have ended. */
  bytesIn: number;
  bytesOut: number;
  /** Those that go on. */
  readonly open: Set<Relayed>;
}

export const noCounts = (): Counts => ({ allowed: 0, blocked: 0, bytesIn: 0, bytesOut: 0, open: new Set() });

/** Bytes of all connections, as far as they are. */
export function bytesOf({ bytesIn, bytesOut, open }: Counts): { readonly bytesIn: number; readonly bytesOut: number } {
  const sum = { bytesIn, bytesOut };
  for (const relaying of open) {
    sum.bytesIn += relaying.bytesIn();
    sum.bytesOut += relaying.bytesOut();
  }
  return sum;
}
