/** Starts a plan, waits until the sandbox serves, and removes its items. */

import type { Containers, RunningContainer } from '../../../containers/containers.ts';
import { hardening } from '../../../containers/hardening.ts';
import { sandboxLabel } from '../../../containers/labels.ts';
import { CleanupError, ExternalError, GuardError } from '../../../platform/errors.ts';
import { asVariable, configVariable, packArchive } from '../plan/archive.ts';
import type { Plan, PlannedContainer } from '../plan/plan.ts';
import { type OnLine, type Output, quoteLog, type ReadyLine, readOutput } from './output.ts';

/** Milliseconds until the sandbox must serve. Longer than the time limit of the runner, whose error says more. */
const readyTimeoutMs = 90_000;

export interface Sandbox<T = unknown> {
  /** Milliseconds from the start of the runner to the first response. */
  readonly readyMs: number;
  /** Address of this machine as the proxy sees it. */
  readonly peer: string;
  readonly probes: T;
  /** The latest lines of the proxy, oldest first. */
  readonly log: () => readonly string[];
  /** Rejects when a container ends, or when the connection to the container runtime is lost. */
  readonly died: Promise<never>;
  /** Removes all items of the sandbox. Idempotent. */
  readonly stop: () => Promise<void>;
  /** Ends the streams here. The containers keep running. */
  readonly release: () => void;
}

interface Started {
  readonly container: RunningContainer;
  readonly output: Output;
  readonly ready: Promise<ReadyLine>;
  readonly died: Promise<never>;
}

function deathError(
  status: number | undefined,
  last: Awaited<Output['ended']>,
  tail: readonly string[],
): ExternalError {
  const mebibytes = hardening.memoryBytes / 1024 / 1024;
  const isKilled = last === undefined && status === 137;
  const outOfMemory = last?.reason === 'out_of_memory';
  const why = outOfMemory
    ? `it was killed at its memory limit of ${mebibytes} MiB`
    : isKilled
      ? `its container was removed, such as by guardcli cleanup, or killed at its memory limit of ${mebibytes} MiB`
      : (last?.message ?? `its container ended with status ${status}`);
  return new ExternalError(`the sandbox ended: ${why}`, {
    code: outOfMemory ? 'sandbox_out_of_memory' : 'sandbox_ended',
    failed: { tool: 'sandbox', output: quoteLog(tail) },
  });
}

async function startContainer(
  planned: PlannedContainer,
  containers: Containers,
  onLine: OnLine,
  signal: AbortSignal,
): Promise<Started> {
  const packed = await packArchive(planned.files);
  const variable = asVariable(packed);
  const env = variable === undefined ? planned.spec.env : { ...planned.spec.env, [configVariable]: variable };
  const spec = { ...planned.spec, env, stdin: planned.spec.stdin || variable === undefined };
  const container = await containers.run(spec, signal);
  const ready = Promise.withResolvers<ReadyLine>();
  const output = readOutput(container.stdout, container.stderr, (line, text) => {
    if (line.type === 'sandbox_ready') ready.resolve(line);
    onLine(line, text);
  });
  if (variable === undefined) container.stdin.write(packed);
  const died = Promise.all([container.exit, output.ended]).then(([status, last]) => {
    throw deathError(status, last, output.tail);
  });
  died.catch(() => {}); // callers may await `died` later
  return { container, output, ready: ready.promise, died };
}

/** Removes every item with the label of the session, also after an incomplete start. @throws the first refusal */
export async function removeSession(containers: Containers, session: string): Promise<void> {
  const refusals: unknown[] = [];
  const onRefusal = (error: unknown): void => void refusals.push(error);
  for (const kind of ['container', 'network'] as const) {
    const items = await containers.list(kind, sandboxLabel, { value: session });
    await Promise.all(items.map((item) => containers.remove(item).catch(onRefusal)));
  }
  if (refusals.length > 0) throw refusals[0];
}

async function startAll(plan: Plan, containers: Containers, onLine: OnLine, signal: AbortSignal): Promise<Started[]> {
  const { sandbox, isolation } = plan;
  if (isolation) await containers.createNetwork(isolation.network);
  const planned = isolation ? [sandbox, isolation.gate] : [sandbox];
  const started = await Promise.allSettled(planned.map((one) => startContainer(one, containers, onLine, signal)));
  // All starts have ended here, so the cleanup misses no container.
  return started.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

function explainedTimeout(error: unknown): unknown {
  if (!(error instanceof DOMException && error.name === 'TimeoutError')) return error;
  return new ExternalError(`the sandbox was not ready after ${readyTimeoutMs / 1000} s`, {
    code: 'sandbox_not_ready',
    failed: { tool: 'sandbox' },
  });
}

const leftoversHint = 'guardcli cleanup --dry-run lists what is left, when the container runtime responds again';

function reasonOf(cause: unknown): string {
  const { message } = cause as Error;
  const output = cause instanceof ExternalError ? cause.failed.output : undefined;
  return [message, ...(output === undefined ? [] : [output])].join('\n');
}

/** Stops a sandbox. @throws CleanupError */
export async function stopOrFail(stop: () => Promise<void>): Promise<void> {
  try {
    await stop();
  } catch (cause) {
    throw new CleanupError('the sandbox could not be removed', {
      ...{ code: 'sandbox_left', hint: leftoversHint, cause },
      failed: { tool: 'container runtime', output: reasonOf(cause) },
    });
  }
}

/** Returns the error to report. After a failed cleanup it has a hint about what is left. */
export async function errorAfterRemoval(remove: () => Promise<void>, error: unknown): Promise<unknown> {
  try {
    await remove();
    return error;
  } catch (failure) {
    if (!(error instanceof GuardError)) return failure; // after an interruption, report only the failed cleanup
    const failed = error instanceof ExternalError ? error.failed : { tool: 'container runtime' };
    return new CleanupError(error.message, { code: 'sandbox_left', hint: leftoversHint, cause: failure, failed });
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/**
 * Returns the address from which requests arrive: that of the gate in the closed network, or the gateway of the bridge.
 */
async function peerOf(
  plan: Plan,
  started: readonly Started[],
  containers: Containers,
  signal: AbortSignal,
): Promise<string> {
  const { isolation } = plan;
  const attachments = await containers.attachments((isolation ? started[1] : started[0])?.container.id ?? '', signal);
  const attachment = isolation ? attachments.find(({ network }) => network === isolation.network.name) : attachments[0];
  return (isolation ? attachment?.address : attachment?.gateway) ?? '';
}

/**
 * Starts a sandbox. Resolves when it serves.
 * @param onLine receives every line of the runners and the guard
 * @param createProbes called while the proxy starts, with the address of the client
 * @throws ExternalError when the container runtime fails or the sandbox ends, after the removal of all items.
 * CleanupError when the removal fails
 */
export async function launch<T = undefined>(
  plan: Plan,
  containers: Containers,
  onLine: OnLine,
  signal: AbortSignal,
  createProbes: (peer: string) => T = () => undefined as T,
): Promise<Sandbox<T>> {
  const stop = (): Promise<void> => removeSession(containers, plan.session);
  const tooLate = AbortSignal.any([signal, AbortSignal.timeout(readyTimeoutMs)]);
  try {
    tooLate.throwIfAborted();
    const started = await startAll(plan, containers, onLine, tooLate);
    const died = Promise.race(started.map((one) => one.died));
    died.catch(() => {});
    tooLate.throwIfAborted();
    const ready = Promise.all(started.map((one) => one.ready));
    const created = peerOf(plan, started, containers, tooLate).then((peer) => ({ peer, probes: createProbes(peer) }));
    const [[line], { peer, probes }] = await Promise.race([
      Promise.all([ready, created]),
      died,
      rejectOnAbort(tooLate),
    ]);
    const release = (): void => {
      for (const { container } of started) container.release();
    };
    const log = (): string[] => started.flatMap(({ output }) => output.tail);
    return { readyMs: line?.ms ?? 0, peer, probes, log, died, stop, release };
  } catch (error) {
    throw await errorAfterRemoval(
      () => stopOrFail(stop),
      signal.aborted ? error : explainedTimeout(tooLate.aborted ? tooLate.reason : error),
    );
  }
}
