import { ExternalError } from '../../../platform/errors.ts';

export function operationError(doing: string, cause: unknown): ExternalError {
  const { message } = cause as Error;
  return new ExternalError(`${doing} failed`, {
    code: 'runtime_failed',
    cause,
    failed: { tool: 'container runtime', output: message },
  });
}

/** Awaits the work. An error gets the name of the operation, unless it already has it. */
export async function withOperation<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ExternalError ? error : operationError(what, error);
  }
}
