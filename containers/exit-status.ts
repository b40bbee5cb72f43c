/** Waits for the exit status of a container, even when the container runtime is busy or is killed. */
import type { Duplex } from 'node:stream';
import { runtimeBounds } from './bounds.ts';
import { operationError } from './runtime-error.ts';

interface Status {
  readonly StatusCode: number;
}

interface Waitable {
  readonly wait: (options: { readonly condition?: 'next-exit'; readonly abortSignal: AbortSignal }) => Promise<Status>;
}

/**
 * Resolves to the exit status. Call it before the container starts. When the container runtime is killed, the response
 * to the first `wait` never ends. A second `wait` shows whether the runtime is only busy.
 * @param attached the stream of the outputs
 * @param released aborted when the caller no longer needs the status
 * @throws ExternalError when the connection to the container runtime is lost, or `released` is aborted
 */
export function exitOf(container: Waitable, attached: Duplex, released: AbortSignal): Promise<number> {
  const secondWait = Promise.withResolvers<Status>();
  const settled = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const waitAgain = (): void => {
    const abortSignal = AbortSignal.any([released, settled.signal, AbortSignal.timeout(runtimeBounds.secondWaitMs)]);
    const lost = (): void => secondWait.reject(new Error('the connection to the container runtime ended'));
    container.wait({ abortSignal }).then(secondWait.resolve, lost);
  };
  attached.once('close', () => {
    if (!released.aborted) timer = setTimeout(waitAgain, runtimeBounds.statusMs);
  });
  const ended = container.wait({ condition: 'next-exit', abortSignal: released });
  return Promise.race([ended, secondWait.promise])
    .then(({ StatusCode }) => StatusCode)
    .catch((error: unknown) => Promise.reject(operationError('waiting for the sandbox', error)))
    .finally(() => {
      clearTimeout(timer);
      settled.abort();
    });
}
