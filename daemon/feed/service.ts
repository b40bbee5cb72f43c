/** Requests to the LAPI of CrowdSec as a bouncer. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { version } from '../process/version.ts';
import { type KeyedDecision, readDecision, readKey } from './decision.ts';
import type { LapiResponse } from './holdings.ts';
import { BadResponse, ResponseReader } from './response.ts';
import { refusalText, unreachableText } from './service-error.ts';
import { nextTurn } from './turn.ts';

/** A failure of the LAPI. The message contains no part of its response. */
export class ServiceError extends Error {
  /** The status of the response. Undefined without a response. */
  readonly status: number | undefined;
  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  /** The body, which is serialized as JSON. */
  readonly body?: unknown;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The LAPI requires a type, one slash and a version. */
export const userAgent = `crowdsec-tcp-guard-bouncer/v${version}`;

/**
 * Sends a request. Does not follow redirects, because they would leak the key.
 * @throws ServiceError unless the status is 2xx
 */
export async function callLapi(url: string, { method = 'GET', headers, body, timeoutMs, signal }: CallOptions) {
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

export const endpointUrl = (lapiUrl: string, path: string) => `${lapiUrl.replace(/\/+$/, '')}/v1/${path}`;

interface PollOptions {
  readonly threatfeed: Daemon['threatfeed'];
  /** Whether to request everything, not only changes. */
  readonly isStartup: boolean;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Adds a decision. Of decisions with the same key, the longest stays. Returns false when there is no room. */
function addLongest(fresh: Map<string, KeyedDecision>, keyed: KeyedDecision): boolean {
  const known = fresh.get(keyed.key);
  if (!known && fresh.size >= daemonBounds.feedDecisions) return false;
  if (!known || known.decision.expiresAt < keyed.decision.expiresAt) fresh.set(keyed.key, keyed);
  return true;
}

function addDeleted(deleted: Set<string>, raw: unknown): void {
  const key = readKey(raw);
  if (key) deleted.add(key.key);
  if (deleted.size > daemonBounds.feedDecisions) throw new BadResponse('it deletes more decisions than the feed keeps');
}

/** Reads one response of the decision stream. @throws ServiceError */
export async function pollDecisions({ threatfeed, isStartup, now, signal }: PollOptions): Promise<LapiResponse> {
  const response = await callLapi(
    endpointUrl(threatfeed.lapi_url, `decisions/stream?startup=${isStartup}&scopes=ip,range`),
    {
      headers: { 'x-api-key': threatfeed.api_key, 'user-agent': userAgent },
      timeoutMs: daemonBounds.feedAnswerMs,
      signal,
    },
  );
  const arrived = now();
  const fresh = new Map<string, KeyedDecision>();
  const deleted = new Set<string>();
  let omitted = 0;
  const reader = new ResponseReader((list, raw) => {
    if (list === 'new') {
      const keyed = readDecision(raw, arrived);
      if (keyed && !addLongest(fresh, keyed)) omitted++;
    } else addDeleted(deleted, raw);
  });
  try {
    for await (const chunk of response.body ?? []) {
      reader.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
      await nextTurn(); // otherwise all arrived chunks would be read before other callbacks run
    }
    reader.end();
  } catch (error) {
    throw new ServiceError(error instanceof BadResponse ? error.message : unreachableText(error), response.status);
  }
  return { fresh, deleted, omitted };
}
