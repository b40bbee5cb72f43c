/** Sends requests to a site of a proxy, one after the other on one connection. */
import { Agent, request } from 'node:http';

export interface Sent {
  /** `sendAll` writes another number for `*` each time, because guards keep the targets that passed. */
  readonly path: string;
  /** JSON; absent: a GET request. */
  readonly body?: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const json = { 'content-type': 'application/json' };

/** Resolves with the status of the response, or with 0 when there was none. */
export function statusOf(url: string, site: string, { path, body }: Sent = { path: '/' }): Promise<number> {
  const headers = { host: site, ...(body !== undefined && { ...json, 'content-length': Buffer.byteLength(body) }) };
  const method = body === undefined ? 'GET' : 'POST';
  return new Promise((resolve) => {
    request(new URL(path, url), { agent, method, headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    })
      .once('error', () => resolve(0))
      .end(body);
  });
}

let sentRequests = 0;

/** @throws Error when a response is not 200 */
export async function sendAll(url: string, site: string, sent: Sent, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const status = await statusOf(url, site, { ...sent, path: sent.path.replace('*', `${sentRequests++}`) });
    if (status !== 200) throw new Error(`${sent.path} of ${site}: status ${status}`);
  }
}
