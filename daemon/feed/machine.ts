/** Requests of a machine to the LAPI. A login expires after an hour. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { callLapi, endpointUrl, ServiceError, userAgent } from './service.ts';
import { unreachableText } from './service-error.ts';

export type Send = (method: 'POST' | 'DELETE', path: string, body?: unknown) => Promise<void>;

/** Bytes. More than a login response, which has a token and two short fields. */
const longestLogin = 16_384;

/** The text of a login response. Undefined when it is too long. */
async function textOf({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body ?? []) {
      length += chunk.length;
      if (length > longestLogin) return undefined;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new ServiceError(unreachableText(error));
  }
  return Buffer.concat(chunks).toString();
}

async function tokenOf(response: Response): Promise<string> {
  const text = (await textOf(response)) ?? '';
  try {
    const { token } = JSON.parse(text) as { token?: unknown };
    if (typeof token === 'string' && token !== '') return token;
  } catch {
    // the next statement reports it
  }
  throw new ServiceError('the login response of the LAPI has no token');
}

/** Returns a function that sends requests. It logs in when the token is missing or expired. Throws ServiceError. */
export function createSender(threatfeed: Daemon['threatfeed'], signal: AbortSignal): Send {
  const { lapi_url, machine_id, password } = threatfeed;
  const common = { timeoutMs: daemonBounds.pushAnswerMs, signal };
  const agent = { 'user-agent': userAgent };
  let token: string | undefined;

  const login = async (): Promise<string> => {
    const url = endpointUrl(lapi_url, 'watchers/login');
    const body = { machine_id, password };
    const response = await callLapi(url, { ...common, method: 'POST', headers: agent, body }).catch((error: Error) => {
      throw new ServiceError(error.message); // without the status of the login, which is not the status of the request
    });
    return tokenOf(response);
  };

  const once = async (...[method, path, body]: Parameters<Send>): Promise<void> => {
    token ??= await login();
    const headers = { ...agent, authorization: `Bearer ${token}` };
    const response = await callLapi(endpointUrl(lapi_url, path), { ...common, method, headers, body });
    await response.body?.cancel();
  };

  return async (...request) => {
    const hadToken = token !== undefined;
    try {
      await once(...request);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 401) throw error;
      token = undefined;
      if (!hadToken) throw error;
      await once(...request);
    }
  };
}
