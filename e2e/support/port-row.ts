/** Ports in a row, as the services of a sandbox of tcp-guard have them. */
import { freeRow as freeRowOf } from '../../platform/free-ports.ts';

/** More than any sandbox of a test takes. */
const length = 32;

export const freeRow = (): Promise<number> => freeRowOf(length);
