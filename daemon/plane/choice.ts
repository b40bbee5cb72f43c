/** Chooses the data plane of a process. */
import type { DataPlane as PlaneStatus } from '../../contract/api/state.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { openLibc } from '../process/libc/open.ts';
import { selfTest } from '../process/libc/self-test.ts';
import { openLinuxPlane } from './linux/plane.ts';
import { createNetPlane } from './net/plane.ts';
import type { Connection, DataPlane, PlaneOptions } from './plane.ts';

export type { PlaneStatus };
export type PlaneName = PlaneStatus['name'];

/** Releases of Node on which the conformance tests have run with the Linux plane. */
export const testedReleases: readonly string[] = ['26.10.0'];

function whyUnavailable(): string | undefined {
  const opened = openLibc();
  if ('missing' in opened) return opened.missing;
  const failed = selfTest(opened.libc);
  return failed && `its self-test failed: ${failed}`;
}

export function choosePlane(configured: Daemon['global']['data_plane'], release = process.versions.node): PlaneStatus {
  if (configured === 'net') return { name: 'net', reason: 'configured' };
  if (configured === 'auto' && !testedReleases.includes(release))
    return { name: 'net', reason: `the Linux plane was not tested with Node ${release}` };
  const reason = whyUnavailable();
  if (reason !== undefined) return { name: 'net', reason: `the Linux plane is not possible: ${reason}` };
  return { name: 'linux', reason: configured === 'linux' ? 'configured' : `tested with Node ${release}` };
}

type PlaneUser<Result> = <C extends Connection>(plane: DataPlane<C>) => Result;

/** @throws Error when this process cannot run the Linux plane: see `choosePlane` */
export function withPlane<Result>(name: PlaneName, options: PlaneOptions, use: PlaneUser<Result>): Result {
  return name === 'net' ? use(createNetPlane(options)) : use(openLinuxPlane(options));
}
