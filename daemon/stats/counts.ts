/** The counts of one service since the start of the process. */
import { LinkedList } from '../../platform/linked-list.ts';

/** A connection that is being relayed. */
export interface Relayed {
  readonly bytesIn: () => number;
  readonly bytesOut: () => number;
}

export interface Counts {
  allowed: number;
  blocked: number;
  /** The relayed bytes of connections that have ended. */
  bytesIn: number;
  bytesOut: number;
  readonly open: LinkedList<Relayed>;
}

/** The counts that only grow. */
export const countNames = ['allowed', 'blocked', 'bytesIn', 'bytesOut'] as const;

export const noCounts = (): Counts => ({ allowed: 0, blocked: 0, bytesIn: 0, bytesOut: 0, open: new LinkedList() });

/** The relayed bytes of all connections so far. */
export function bytesOf({ bytesIn, bytesOut, open }: Counts): { readonly bytesIn: number; readonly bytesOut: number } {
  const sum = { bytesIn, bytesOut };
  for (const relaying of open) {
    sum.bytesIn += relaying.bytesIn();
    sum.bytesOut += relaying.bytesOut();
  }
  return sum;
}
