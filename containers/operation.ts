/** Bounds a call of the container runtime. One that hangs responds to some requests and not to others. */
import { ExternalError } from '../platform/errors.ts';
import { operationError } from './runtime-error.ts';

export interface Operation {
  /** For the error: `listing networks`. */
  readonly name: string;
  readonly limitMs: number;
  /** Interrupts the call. Absent: only the time limit ends it, as for removals after an interruption. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the work until it ends, its time is over, or the signal is aborted. The end of the work ends the bound: streams
 * that the work returns remain open.
 * @throws ExternalError with the name of the operation, or that of the work
 */
export async function withOperation<T>(
  { name, limitMs, signal }: Operation,
  work: (ended: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const aborted = Promise.withResolvers<never>();
  ending.signal.addEventListener('abort', () => aborted.reject(ending.signal.reason));
  const interrupt = (): void => ending.abort(signal?.reason);
  const late = new Error(`no response in ${limitMs / 1000} s: restart the container runtime if it hangs`);
  const timer = setTimeout(() => ending.abort(late), limitMs);
  signal?.addEventListener('abort', interrupt);
  try {
    signal?.throwIfAborted();
    return await Promise.race([work(ending.signal), aborted.promise]);
  } catch (error) {
    throw error instanceof ExternalError ? error : operationError(name, error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', interrupt);
  }
}
