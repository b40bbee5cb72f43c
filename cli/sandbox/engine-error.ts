/** Failures of the container engine, with what was being done. */
import { ExternalError } from '../../platform/errors.ts';

export function failed(doing: string, cause: unknown): ExternalError {
  const { message } = cause as Error;
  return new ExternalError(`${doing} failed`, {
    code: 'engine_failed',
    cause,
    failed: { tool: 'container engine', output: message },
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
