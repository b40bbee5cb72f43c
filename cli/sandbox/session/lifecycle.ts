/** Starts a plan, waits until it serves, and removes everything in every case. */
import { CleanupError, ExternalError, GuardError } from '../../../platform/errors.ts';
import { archive, asVariable, configVariable } from '../plan/archive.ts';
import type { Plan, PlannedContainer } from '../plan/plan.ts';
import type { Containers, RunningContainer } from '../runtime/containers.ts';
import { hardening } from '../runtime/hardening.ts';
import { sandboxLabel } from '../runtime/labels.ts';
import { type Output, quoteLog, type ReadyLine, readOutput, type TakeLine } from './output.ts';

/** Longer than the time limit of the runner for the proxy, whose error message is more informative. */
const readyTimeoutMs = 90_000;

export interface Sandbox<T = unknown> {
  /** Milliseconds from the start of the runner to the first response. */
  readonly readyMs: number;
  /** The client address that the proxy sees for requests of this machine. */
  readonly peer: string;
  /** Result of the preparation that ran while the proxy started. */
  readonly prepared: T;
  /** The latest lines of the proxy, oldest first. */
  readonly log: () => readonly string[];
  /** Rejects with the reason when a container ends unexpectedly. */
  readonly died: Promise<never>;
  /** Removes everything. Idempotent. */
  readonly stop: () => Promise<void>;
  /** Detaches from the containers without ending them, for `--detach`. */
  readonly release: () => void;
}

interface Started {
  readonly container: RunningContainer;
  readonly output: Output;
  readonly ready: Promise<ReadyLine>;
  readonly died: Promise<never>;
}

/** The error for a container that ended unexpectedly. */
function deathError(
  status: number | undefined,
  last: Awaited<Output['ended']>,
  tail: readonly string[],
): ExternalError {
  const mebibytes = hardening.memoryBytes / 1024 / 1024;
  // Status 137 without a last line: the kernel killed the runner itself.
  const outOfMemory = last?.reason === 'out_of_memory' || (last === undefined && status === 137);
  const why = outOfMemory
    ? `it was killed at its memory limit of ${mebibytes} MiB`
    : (last?.message ?? `its container ended with status ${status}`);
  return new ExternalError(`the sandbox ended: ${why}`, {
    code: outOfMemory ? 'sandbox_out_of_memory' : 'sandbox_ended',
    failed: { tool: 'sandbox', output: quoteLog(tail) },
  });
}

async function startContainer(planned: PlannedContainer, containers: Containers, take: TakeLine): Promise<Started> {
  const packed = await archive(planned.files);
  const variable = asVariable(packed);
  const env = variable === undefined ? planned.spec.env : { ...planned.spec.env, [configVariable]: variable };
  const container = await containers.run({ ...planned.spec, env, stdin: planned.spec.stdin || variable === undefined });
  const ready = Promise.withResolvers<ReadyLine>();
  const output = readOutput(container.stdout, container.stderr, (line, text) => {
    if (line.type === 'sandbox_ready') ready.resolve(line);
    take(line, text);
  });
  if (variable === undefined) container.stdin.write(packed);
  const died = Promise.all([container.exit, output.ended]).then(([status, last]) => {
    throw deathError(status, last, output.tail);
  });
  died.catch(() => {}); // callers may await the original promise
  return { container, output, ready: ready.promise, died };
}

/**
 * Removes every item with the label of the session, so that cleanup does not depend on the progress of the start.
 * Continues after a refusal. @throws the first refusal
 */
export async function removeSession(containers: Containers, session: string): Promise<void> {
  const refusals: unknown[] = [];
  const refused = (error: unknown): void => void refusals.push(error);
  for (const kind of ['container', 'network'] as const) {
    const items = await containers.list(kind, sandboxLabel, session);
    await Promise.all(items.map((item) => containers.remove(item).catch(refused)));
  }
  if (refusals.length > 0) throw refusals[0];
}

async function startAll(plan: Plan, containers: Containers, take: TakeLine): Promise<Started[]> {
  const { sandbox, isolation } = plan;
  if (isolation) await containers.createNetwork(isolation.network);
  const planned = isolation ? [sandbox, isolation.gate] : [sandbox];
  const started = await Promise.allSettled(planned.map((one) => startContainer(one, containers, take)));
  // Waits for all of them: nothing is being created when the first failure is reported and cleaned up.
  return started.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

/** The container runtime probably does not run a runner that is silent for this long. */
function inTime(error: unknown): unknown {
  if (!(error instanceof DOMException && error.name === 'TimeoutError')) return error;
  return new ExternalError(`the sandbox was not ready after ${readyTimeoutMs / 1000} s`, {
    code: 'sandbox_not_ready',
    failed: { tool: 'sandbox' },
  });
}

const leftHint = 'guardcli cleanup --dry-run lists what is left, when the container runtime responds again';

function reasonOf(cause: unknown): string {
  const { message } = cause as Error;
  const output = cause instanceof ExternalError ? cause.failed.output : undefined;
  return [message, ...(output === undefined ? [] : [output])].join('\n');
}

/** Calls `stop`. @throws CleanupError */
export async function removal(stop: () => Promise<void>): Promise<void> {
  try {
    await stop();
  } catch (cause) {
    throw new CleanupError('the sandbox could not be removed', {
      ...{ code: 'sandbox_left', hint: leftHint, cause },
      failed: { tool: 'container runtime', output: reasonOf(cause) },
    });
  }
}

/** The error to report after the cleanup. When the cleanup fails too, the error includes a hint about it. */
export async function afterRemoval(remove: () => Promise<void>, error: unknown): Promise<unknown> {
  try {
    await remove();
    return error;
  } catch (failure) {
    if (!(error instanceof GuardError)) return failure; // after an interruption, report only the failed cleanup
    const failed = error instanceof ExternalError ? error.failed : { tool: 'container runtime' };
    return new CleanupError(error.message, { code: 'sandbox_left', hint: leftHint, cause: failure, failed });
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** The peer that the proxy sees: the gate's address in the closed network, or the gateway of the bridge. */
async function peerOf(plan: Plan, started: readonly Started[], containers: Containers): Promise<string> {
  const { isolation } = plan;
  const seen = await containers.attachments((isolation ? started[1] : started[0])?.container.id ?? '');
  const attachment = isolation ? seen.find(({ network }) => network === isolation.network.name) : seen[0];
  return (isolation ? attachment?.address : attachment?.gateway) ?? '';
}

/**
 * Starts the sandbox and resolves when it serves.
 * @param take receives every line of the runners and the guard
 * @param prepare runs while the proxy starts, as soon as the peer is known
 * @throws ExternalError when the container runtime fails or the sandbox ends; everything is removed then
 */
export async function launch<T = undefined>(
  plan: Plan,
  containers: Containers,
  take: TakeLine,
  signal: AbortSignal,
  prepare: (peer: string) => T = () => undefined as T,
): Promise<Sandbox<T>> {
  const stop = (): Promise<void> => removeSession(containers, plan.session);
  try {
    signal.throwIfAborted();
    const started = await startAll(plan, containers, take);
    const died = Promise.race(started.map((one) => one.died));
    died.catch(() => {});
    const late = AbortSignal.any([signal, AbortSignal.timeout(readyTimeoutMs)]);
    late.throwIfAborted();
    const ready = Promise.all(started.map((one) => one.ready));
    const known = peerOf(plan, started, containers).then((peer) => ({ peer, prepared: prepare(peer) }));
    const [[line], { peer, prepared }] = await Promise.race([Promise.all([ready, known]), died, aborted(late)]);
    const release = (): void => {
      for (const { container } of started) container.release();
    };
    const log = (): string[] => started.flatMap(({ output }) => output.tail);
    return { readyMs: line?.ms ?? 0, peer, prepared, log, died, stop, release };
  } catch (error) {
    throw await afterRemoval(() => removal(stop), signal.aborted ? error : inTime(error));
  }
}
