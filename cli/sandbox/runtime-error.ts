/** Failures of the container runtime, with what was being done. */
import { ExternalError } from '../../platform/errors.ts';

export function failed(doing: string, cause: unknown): ExternalError {
  const { message } = cause as Error;
  return new ExternalError(`${doing} failed`, {
    code: 'runtime_failed',
    cause,
    failed: { tool: 'container runtime', output: message },
  });
}

/** The result of `work`; a failure of it says what was being done, unless it does so itself. */
export async function doing<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ExternalError ? error : failed(what, error);
  }
}
