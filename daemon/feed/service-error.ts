/** What is said of a service that did not answer as it should. Nothing of its answer is repeated. */

const refusals: Readonly<Record<number, string>> = {
  /** A service whose database is locked says the same for a moment. */
  403: 'it refuses the key (403), or is too busy to look it up',
  404: 'it has no such path (404): is lapi_url the local API?',
};

export const refusalText = (status: number): string => refusals[status] ?? `it answered ${status}`;

const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name could not be looked up',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'it did not answer in time',
};

/** Why there is no answer, or only the begin of one. */
export function unreachableText(error: unknown): string {
  const { name, cause } = error as Error;
  if (name === 'TimeoutError') return 'it did not answer in time';
  const { code = 'unknown' } = (cause ?? error) as { code?: unknown };
  return causes[String(code)] ?? `it cannot be reached (${String(code).slice(0, 64)})`;
}
