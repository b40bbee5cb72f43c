/** Waits until every service responds. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Compose } from '../../compose/compose.ts';
import type { ContainerState } from '../../compose/listing.ts';
import { ExternalError } from '../../platform/errors.ts';
import { isReady, type ServiceName } from './services.ts';
import type { Settings } from './settings.ts';

/** The first start of Loki takes minutes on a slow disk. */
const readyTimeoutMs = 120_000;
const pollMs = 200;
/**
 * Milliseconds between two checks for ended containers. A check calls the container runtime, which is slower than a
 * poll.
 */
const endedCheckMs = 3000;

const failedStates = new Set(['exited', 'dead', 'restarting']);

async function logsOf(compose: Compose, name: ServiceName): Promise<string> {
  return compose.logs(name).catch(() => '');
}

async function refuseEnded(compose: Compose, names: readonly ServiceName[], containers: readonly ContainerState[]) {
  const ended = names.find((name) =>
    containers.some(({ service, state }) => service === name && failedStates.has(state)),
  );
  if (ended === undefined) return;
  throw new ExternalError(`${ended} ended while it started`, {
    code: 'service_failed',
    hint: 'correct what it reports; `guardcli dashboard up` starts it again, `guardcli dashboard down` removes the stack',
    failed: { tool: ended, output: await logsOf(compose, ended) },
  });
}

async function notReadyError(compose: Compose, waiting: readonly ServiceName[]): Promise<ExternalError> {
  const names = waiting.join(', ');
  return new ExternalError(`not ready after ${readyTimeoutMs / 1000} s: ${names}`, {
    code: 'not_healthy',
    hint: 'run `guardcli dashboard status` in a while; `guardcli dashboard down` removes the stack',
    failed: { tool: names, output: await logsOf(compose, waiting[0] as ServiceName) },
  });
}

/** Yields the services that are not ready, when their number changes. @throws ExternalError */
export async function* waitUntilReady(
  compose: Compose,
  names: readonly ServiceName[],
  settings: Settings,
  signal: AbortSignal,
): AsyncGenerator<readonly ServiceName[], void, void> {
  const start = performance.now();
  let lastEndedCheck = start;
  let waiting = names;
  let lastReportedCount = 0;
  for (;;) {
    const ready = await Promise.all(waiting.map((name) => isReady(name, settings, signal)));
    signal.throwIfAborted();
    const notReady = waiting.filter((_, index) => !ready[index]);
    if (notReady.length === 0) return;
    if (notReady.length !== lastReportedCount) yield notReady;
    lastReportedCount = notReady.length;
    waiting = notReady;
    const now = performance.now();
    if (now - lastEndedCheck > endedCheckMs) {
      lastEndedCheck = now;
      await refuseEnded(compose, waiting, await compose.containers({ signal }));
    }
    if (now - start > readyTimeoutMs) throw await notReadyError(compose, waiting);
    await sleep(pollMs, undefined, { signal });
  }
}
