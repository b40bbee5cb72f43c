/** Texts for failures of the LAPI, without any part of its response. */

const refusals: Readonly<Record<number, string>> = {
  /** A locked database of the LAPI also causes 403. */
  403: 'the LAPI refused the key (403), or its database is busy: check api_key',
  404: 'the LAPI has no such path (404): check that lapi_url is the local API',
};

export const refusalText = (status: number): string => refusals[status] ?? `the LAPI returned status ${status}`;

const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the host name of lapi_url does not exist',
  EAI_AGAIN: 'the host name of lapi_url could not be resolved',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'the LAPI did not respond in time',
};

/** Explains why a complete response is missing. */
export function unreachableText(error: unknown): string {
  const { name, cause } = error as Error;
  if (name === 'TimeoutError') return 'the LAPI did not respond in time';
  const { code = 'unknown' } = (cause ?? error) as { code?: unknown };
  return causes[String(code)] ?? `the LAPI is unreachable (${String(code).slice(0, 64)})`;
}
