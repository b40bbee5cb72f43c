/** Consecutive ports, as the services of a tcp-guard sandbox use them. */
import { freeRow as freeRowOf } from '../../platform/free-ports.ts';

/** Number of ports in a row: more than any sandbox of a test uses. */
const rowLength = 32;

export const freeRow = (): Promise<number> => freeRowOf(rowLength);
