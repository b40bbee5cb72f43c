/** What a session runs: everything in which a proxy and tcp-guard differ. */
import type { SuiteReport } from '../../probes/report.ts';
import type { SuiteProgress } from '../../probes/run.ts';
import type { Context } from '../../program/context.ts';
import type { Target } from '../../targets/table.ts';
import type { Recipe } from '../image.ts';
import type { Sandbox } from '../lifecycle.ts';
import type { SandboxLine } from '../output.ts';
import type { Plan } from '../plan.ts';
import type { Wanted } from '../prepare.ts';
import type { ImageParts } from '../targets/proxy.ts';

/** What becomes of a sandbox that serves. */
export type Action = 'test' | 'detach' | 'follow';

/** What a plan needs of a recipe. */
export type Made = Pick<Recipe, 'tag' | 'lacksNative'>;

export interface Running<P extends Plan, T> {
  readonly plan: P;
  readonly sandbox: Sandbox<T>;
}

/** What a suite may use; the signal is aborted when nothing waits for it any more. */
export type SuiteWorld = Pick<Context, 'env' | 'now' | 'signal'>;

/** P is its plan, T what is made for the suite while the container starts. */
export interface Work<P extends Plan = Plan, T = unknown> {
  readonly target: Target;
  readonly action: Action;
  /** Of this machine. */
  readonly port: number;
  /** What its image is made from. */
  readonly parts: ImageParts;
  /** Ports of this machine, after what can be checked before a container runtime is needed. @throws UsageError */
  readonly ports: () => Wanted['ports'];
  readonly plan: (made: Made, ipv6: boolean, action: Action) => P;
  /** Takes every line of the container. */
  readonly take: (line: SandboxLine) => void;
  /** Makes, while the container starts, what only needs to know the peer. */
  readonly prepare: (peer: string) => T;
  readonly notes: (running: Running<P, T>) => readonly string[];
  readonly test: (
    running: Running<P, T>,
    onProgress: (progress: SuiteProgress) => void,
    world: SuiteWorld,
  ) => Promise<SuiteReport>;
}
