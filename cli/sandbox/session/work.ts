/** Everything that differs between sessions for a proxy and for tcp-guard. */

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

export type PlannedImage = Pick<Recipe, 'tag' | 'lacksNative'>;

export interface Running<P extends Plan, T> {
  readonly plan: P;
  readonly sandbox: Sandbox<T>;
}

/** The signal is aborted when no caller waits for the report. */
export type ProbeContext = Pick<Context, 'env' | 'now' | 'signal'>;

/** T: the result of `createProbes`. */
export interface Work<P extends Plan = Plan, T = unknown> {
  readonly target: Target;
  readonly action: Action;
  /** First port of the sandbox on this machine. */
  readonly port: number;
  readonly image: ImageParts;
  /** Returns the ports of this machine. Called before the search for a container runtime. @throws UsageError */
  readonly ports: () => HostPorts;
  readonly plan: (image: PlannedImage, ipv6: boolean, action: Action) => P;
  /** Receives every line of the runner and the guard. */
  readonly onLine: OnLine;
  /** Called while the container starts, with the address of the client. */
  readonly createProbes: (peer: string) => T;
  readonly notes: (running: Running<P, T>) => readonly string[];
  readonly test: (
    running: Running<P, T>,
    onProgress: (progress: ProbeProgress) => void,
    context: ProbeContext,
  ) => Promise<ProbeReport>;
}
