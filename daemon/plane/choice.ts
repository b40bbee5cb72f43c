/** The choice of the data plane of a process. */
import { createNetPlane } from './net/plane.ts';
import type { Connection, DataPlane, PlaneOptions } from './plane.ts';

/** Runs with whichever plane is chosen: its kind of connection is not known to the caller. */
type PlaneUser<Result> = <C extends Connection>(plane: DataPlane<C>) => Result;

export function withPlane<Result>(options: PlaneOptions, use: PlaneUser<Result>): Result {
  return use(createNetPlane(options));
}
