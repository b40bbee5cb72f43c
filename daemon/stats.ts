/** Counts of one service since the start of the process. */
export interface Counts {
  allowed: number;
  blocked: number;
  /** Bytes that were relayed, of connections that have ended. */
  bytesIn: number;
  bytesOut: number;
}

export const noCounts = (): Counts => ({ allowed: 0, blocked: 0, bytesIn: 0, bytesOut: 0 });
