/** The decision service (the local API of CrowdSec), as a bouncer sees it. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { type KeyedDecision, readDecision, readKey } from './decision.ts';
import type { LapiResponse } from './holdings.ts';
import { BadResponse, ResponseReader } from './response.ts';
import { refusalText, unreachableText } from './service-error.ts';

/** Thrown when the service did not answer as it should; the message is a clause without anything from the answer. */
export class ServiceError extends Error {
  /** Status of its answer; undefined: there was none. */
  readonly status: number | undefined;
  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

export interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What the service asks of a User-Agent: a type, one slash, a version. */
export const userAgent = (version: string) => `crowdsec-tcp-guard-bouncer/v${version}`;

/** Sends a request; throws ServiceError unless the answer is 2xx. Redirects are not followed: they would carry the key away. */
export async function call(url: string, { method = 'GET', headers, body, timeoutMs, signal }: CallOptions) {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
    redirect: 'manual',
    signal: deadline,
  }).catch((error: unknown) => {
    throw new ServiceError(unreachableText(error));
  });
  if (response.ok) return response;
  await response.body?.cancel().catch(() => undefined);
  throw new ServiceError(refusalText(response.status), response.status);
}

/** The URL of a path of the API, wherever the service is mounted. */
export const endpoint = (lapiUrl: string, path: string) => `${lapiUrl.replace(/\/+$/, '')}/v1/${path}`;

export interface PollOptions {
  readonly threatfeed: Daemon['threatfeed'];
  readonly version: string;
  /** Everything, not only what is new. */
  readonly isStartup: boolean;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Equal decisions of an answer are one: the longest. */
function addLongest(fresh: Map<string, KeyedDecision>, keyed: KeyedDecision): void {
  const known = fresh.get(keyed.key);
  if (!known || known.decision.expiresAt < keyed.decision.expiresAt) fresh.set(keyed.key, keyed);
}

function addDeleted(deleted: Set<string>, raw: unknown): void {
  const key = readKey(raw);
  if (key) deleted.add(key.key);
  if (deleted.size > daemonBounds.feedDecisions) throw new BadResponse('it deletes more than is ever held');
}

/** One answer of the decision stream, read whole; throws ServiceError. */
export async function poll({ threatfeed, version, isStartup, now, signal }: PollOptions): Promise<LapiResponse> {
  const response = await call(endpoint(threatfeed.lapi_url, `decisions/stream?startup=${isStartup}&scopes=ip,range`), {
    headers: { 'x-api-key': threatfeed.api_key, 'user-agent': userAgent(version) },
    timeoutMs: daemonBounds.feedAnswerMs,
    signal,
  });
  const arrived = now();
  const fresh = new Map<string, KeyedDecision>();
  const deleted = new Set<string>();
  const reader = new ResponseReader((list, raw) => {
    if (list === 'new') {
      const keyed = readDecision(raw, arrived);
      if (keyed && fresh.size < daemonBounds.feedDecisions) addLongest(fresh, keyed);
    } else addDeleted(deleted, raw);
  });
  try {
    for await (const chunk of response.body ?? [])
      reader.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    reader.end();
  } catch (error) {
    throw new ServiceError(error instanceof BadResponse ? error.message : unreachableText(error), response.status);
  }
  return { fresh, deleted };
}
