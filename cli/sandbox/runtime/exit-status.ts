/** The exit status of a container, from a container runtime that may be busy or gone. */
import type { Duplex } from 'node:stream';
import { failed } from './runtime-error.ts';

/** Usually, the status arrives within milliseconds after the outputs end. */
const statusPatienceMs = 3000;
/** Docker first removes the network of the container. On a slow disk that takes seconds. */
const removalPatienceMs = 60_000;

interface Status {
  readonly StatusCode: number;
}

interface Waitable {
  readonly wait: (options: { readonly condition?: 'next-exit'; readonly abortSignal: AbortSignal }) => Promise<Status>;
}

/**
 * Resolves with the status of a container that was not started yet. A killed container runtime closes the connections, and
 * the response to the first `wait` never ends. A second one distinguishes that from a container runtime that is busy.
 * @param attached carries the outputs
 */
export function exitOf(container: Waitable, attached: Duplex, letGo: AbortSignal): Promise<number> {
  const late = Promise.withResolvers<Status>();
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const waitAgain = (): void => {
    const abortSignal = AbortSignal.any([letGo, over.signal, AbortSignal.timeout(removalPatienceMs)]);
    const lost = (): void => late.reject(new Error('the connection to the container runtime ended'));
    container.wait({ abortSignal }).then(late.resolve, lost);
  };
  attached.once('close', () => {
    if (!letGo.aborted) timer = setTimeout(waitAgain, statusPatienceMs);
  });
  const ended = container.wait({ condition: 'next-exit', abortSignal: letGo });
  return Promise.race([ended, late.promise])
    .then(({ StatusCode }) => StatusCode)
    .catch((error: unknown) => Promise.reject(failed('waiting for the sandbox', error)))
    .finally(() => {
      clearTimeout(timer);
      over.abort();
    });
}
