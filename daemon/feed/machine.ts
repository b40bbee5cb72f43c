/** The LAPI's watcher endpoints, with a login that expires after an hour. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { call, endpoint, ServiceError, userAgent } from './service.ts';

export interface MachineOptions {
  readonly threatfeed: Daemon['threatfeed'];
  readonly signal: AbortSignal;
}

export type Send = (method: 'POST' | 'DELETE', path: string, body?: unknown) => Promise<void>;

/** A login response has a token and two short fields. */
const longestLogin = 16_384;

async function tokenOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { token } = JSON.parse(text) as { token?: unknown };
    if (typeof token === 'string' && token !== '' && text.length <= longestLogin) return token;
  } catch {
    // Reported below.
  }
  throw new ServiceError('the login response of the LAPI has no token');
}

/** Returns what sends a request with a token, and logs in when the token is missing or expired. Throws ServiceError. */
export function machine({ threatfeed, signal }: MachineOptions): Send {
  const { lapi_url, machine_id, password } = threatfeed;
  const common = { timeoutMs: daemonBounds.pushAnswerMs, signal };
  const agent = { 'user-agent': userAgent };
  let token: string | undefined;

  const login = async (): Promise<string> => {
    const url = endpoint(lapi_url, 'watchers/login');
    const body = { machine_id, password };
    return tokenOf(await call(url, { ...common, method: 'POST', headers: agent, body }));
  };

  const once = async (...[method, path, body]: Parameters<Send>): Promise<void> => {
    token ??= await login();
    const headers = { ...agent, authorization: `Bearer ${token}` };
    const response = await call(endpoint(lapi_url, path), { ...common, method, headers, body });
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
