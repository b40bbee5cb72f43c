/** The work of a session: the differences between a proxy and tcp-guard. */
import type { ProbeReport } from '../../probes/report.ts';
import type { SuiteProgress } from '../../probes/run.ts';
import type { Context } from '../../program/context.ts';
import type { Target } from '../../targets/table.ts';
import type { Recipe } from '../image/image.ts';
import type { Plan } from '../plan/plan.ts';
import type { ImageParts } from '../targets/proxy.ts';
import type { Sandbox } from './lifecycle.ts';
import type { TakeLine } from './output.ts';
import type { Wanted } from './prepare.ts';

/** Outcome of a sandbox that serves. */
export type Action = 'test' | 'detach' | 'follow';

/** Input for a plan. */
export type Made = Pick<Recipe, 'tag' | 'lacksNative'>;

export interface Running<P extends Plan, T> {
  readonly plan: P;
  readonly sandbox: Sandbox<T>;
}

/** Environment of a suite. The signal is aborted when no caller waits for the suite. */
export type SuiteWorld = Pick<Context, 'env' | 'now' | 'signal'>;

/** P is its plan, T the result of the preparation while the container starts. */
export interface Work<P extends Plan = Plan, T = unknown> {
  readonly target: Target;
  readonly action: Action;
  /** Port on this machine. */
  readonly port: number;
  /** Inputs of its image. */
  readonly parts: ImageParts;
  /** Ports of this machine, after all checks that need no container runtime. @throws UsageError */
  readonly ports: () => Wanted['ports'];
  readonly plan: (made: Made, ipv6: boolean, action: Action) => P;
  /** Receives every line of the container. */
  readonly take: TakeLine;
  /** Runs while the container starts, as soon as the peer is known. */
  readonly prepare: (peer: string) => T;
  readonly notes: (running: Running<P, T>) => readonly string[];
  readonly test: (
    running: Running<P, T>,
    onProgress: (progress: SuiteProgress) => void,
    world: SuiteWorld,
  ) => Promise<ProbeReport>;
}
