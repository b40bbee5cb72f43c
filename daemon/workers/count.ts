import { availableParallelism } from 'node:os';
import type { Daemon } from '../../contract/daemon/schema.ts';

/** How many processes relay; 1: the first does it itself, and there are no workers. */
export const workerCount = ({ global: { workers } }: Daemon): number => workers || availableParallelism();
