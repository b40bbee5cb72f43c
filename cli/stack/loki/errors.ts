import { ExternalError, UsageError } from '../../../platform/errors.ts';
import { lokiBounds } from './bounds.ts';

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed',
  UND_ERR_SOCKET: 'connection closed',
  ENOTFOUND: 'no such host',
};

interface Failed {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly cause?: Failed;
}

/** Returns why a request failed. Errors of `fetch` have the error of the system as their cause. */
export function reasonOf(error: unknown): string {
  const { name, cause, message } = error as Failed;
  if (name === 'TimeoutError') return `no response in ${lokiBounds.timeoutMs / 1000} s`;
  return reasons[cause?.code ?? ''] ?? cause?.message ?? message ?? 'unknown error';
}

function hintWith(fallbackHint: string | undefined): string {
  const [start, port] = ['start it with `guardcli dashboard up`', 'pass its port with --loki-port'];
  return fallbackHint === undefined ? `${start}, or ${port}` : `${start}, ${port}, or ${fallbackHint}`;
}

export const unreachableError = (
  address: string,
  reason: string,
  cause?: unknown,
  fallbackHint?: string,
): ExternalError =>
  new ExternalError(`Loki does not respond at ${address}: ${reason}`, {
    code: 'loki_unreachable',
    hint: hintWith(fallbackHint),
    failed: { tool: 'loki' },
    cause,
  });

/** The error for a response that is too large. A caller can catch it and query fewer lines. */
export const tooLargeError = (address: string): ExternalError =>
  new ExternalError(`the response of Loki at ${address} has more than ${lokiBounds.responseBytes} bytes`, {
    code: 'loki_too_large',
    hint: 'choose a shorter --since, or a query with fewer lines',
    failed: { tool: 'loki' },
  });

const parseError = /^parse error\s*(?:at line (\d+), col (\d+))?\s*:\s*(.*)$/s;

/** Returns the error for a query that Loki refused. `body` is the plain text of the response. */
export function refusedError(address: string, status: number, body: string): ExternalError | UsageError {
  const text = body.slice(0, lokiBounds.errorBytes).trim();
  const [isLogql, line, column, problem = ''] = parseError.exec(text) ?? [];
  if (isLogql !== undefined) {
    const place = line === undefined ? '' : ` at line ${line}, column ${column}`;
    const hint = 'an example that works: {app="request-guard"} | json';
    return new UsageError(`the LogQL query is not valid${place}: ${problem}`, { code: 'bad_logql', hint });
  }
  if (status === 400) return new UsageError(`Loki refuses the query: ${text}`, { code: 'bad_query' });
  return new ExternalError(`Loki at ${address} responds with status ${status}: ${text || 'no text'}`, {
    code: 'loki_failed',
    hint: status === 404 ? 'is another program at this port?' : 'see its log',
    failed: { tool: 'loki' },
  });
}

export const notLokiError = (address: string): ExternalError =>
  new ExternalError(`the server at ${address} is not Loki`, {
    code: 'not_loki',
    hint: 'pass the port of Loki with --loki-port',
    failed: { tool: 'loki' },
  });
