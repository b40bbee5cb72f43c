import { ExternalError } from '../platform/errors.ts';
import { runtimeBounds } from './bounds.ts';

export function operationError(doing: string, cause: unknown): ExternalError {
  const { message } = cause as Error;
  return new ExternalError(`${doing} failed`, {
    code: 'runtime_failed',
    cause,
    failed: { tool: 'container runtime', output: message.slice(0, runtimeBounds.messageCharacters) },
  });
}
