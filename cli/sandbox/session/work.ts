/** The work of a session: everything that differs between a proxy and tcp-guard. */

import type { ProbeProgress } from '../../probes/progress.ts';
import type { ProbeReport } from '../../probes/report.ts';
import type { Context } from '../../program/context.ts';
import type { Target } from '../../targets/table.ts';
import type { Recipe } from '../image/image.ts';
import type { ImageParts } from '../image/parts.ts';
import type { HostPorts, Plan } from '../plan/plan.ts';
import type { Sandbox } from './lifecycle.ts';
import type { OnLine } from './output.ts';

/** Use of the sandbox after its start. */
export type Action = 'test' | 'detach' | 'follow';

/** Data of an image that a plan needs. */
export type PlannedImage = Pick<Recipe, 'tag' | 'lacksNative'>;

export interface Running<P extends Plan, T> {
  readonly plan: P;
  readonly sandbox: Sandbox<T>;
}

/** Environment of the probes. The signal is aborted when no caller waits for their report. */
export type ProbeContext = Pick<Context, 'env' | 'now' | 'signal'>;

/** P: the plan. T: the probes, as `createProbes` returns them. */
export interface Work<P extends Plan = Plan, T = unknown> {
  readonly target: Target;
  readonly action: Action;
  /** Port on this machine. */
  readonly port: number;
  /** Inputs of the image. */
  readonly image: ImageParts;
  /** Makes all checks that need no container runtime. @throws UsageError */
  readonly ports: () => HostPorts;
  readonly plan: (image: PlannedImage, ipv6: boolean, action: Action) => P;
  /** Receives every line of the container. */
  readonly onLine: OnLine;
  /** Called while the container starts, as soon as the address of the client is known. */
  readonly createProbes: (peer: string) => T;
  readonly notes: (running: Running<P, T>) => readonly string[];
  readonly test: (
    running: Running<P, T>,
    onProgress: (progress: ProbeProgress) => void,
    context: ProbeContext,
  ) => Promise<ProbeReport>;
}
