/**
 * Probes with the requests of the conformance data. Skips requests that a probe cannot send. The proxy must return the
 * verdict of the offline engine.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytesOf, headersOf } from '../../../conformance/vectors/bytes.ts';
import { token } from '../../../contract/values/token.ts';
import type { VectorRequest } from '../../../contract/vectors/schema.ts';
import { packageRoot } from '../../../platform/assets.ts';
import type { Probe, ProbeRequest, Skipped } from '../probe.ts';
import type { Setting } from '../setting.ts';

export interface VectorCase {
  readonly id: string;
  readonly description: string;
  readonly policy: unknown;
  readonly request: VectorRequest;
}

const folder = join(packageRoot, 'conformance/vectors');

interface Group {
  readonly policy: unknown;
  readonly tests: readonly Omit<VectorCase, 'policy'>[];
}

/** Every case of verdicts*.json. */
export function verdictVectors(): VectorCase[] {
  const files = readdirSync(folder).filter((name) => /^verdicts.*\.json$/.test(name));
  return files.sort().flatMap((name) => {
    const groups = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Group[];
    return groups.flatMap(({ policy, tests }) => tests.map((test) => ({ ...test, policy })));
  });
}

/** Headers that a server reads before any handler, or that a probe sets itself. */
const reservedHeaders = new Set([
  'host',
  'user-agent',
  'content-length',
  'transfer-encoding',
  'connection',
  'expect',
  'upgrade',
]);

interface Sendable extends Pick<VectorRequest, 'method' | 'rewritten' | 'host'> {
  readonly headers?: readonly (readonly [string, string])[] | undefined;
}

/** Reasons to skip a vector. The first matching one counts. */
const skipReasons: readonly (readonly [string, (request: Sendable, target: string) => boolean])[] = [
  ['it needs a rewrite inside the proxy', ({ rewritten }) => rewritten !== undefined],
  ['its method is not a token', ({ method }) => method !== undefined && !token.test(method)],
  ['CONNECT opens a tunnel', ({ method }) => method?.toUpperCase() === 'CONNECT'],
  [
    'OPTIONS * gets its response from the server itself',
    ({ method }, target) => method === 'OPTIONS' && target === '*',
  ],
  ['its target contains a line end', (_, target) => target.includes('\n')],
  ['a header name is not a token', ({ headers = [] }) => headers.some(([name]) => !token.test(name))],
  [
    'a header value has control characters',
    ({ headers = [] }) => headers.some(([, value]) => /[\x00-\x08\x0a-\x1f\x7f]/.test(value)),
  ],
  [
    'a header belongs to the probe',
    ({ headers = [] }) => headers.some(([name]) => reservedHeaders.has(name.toLowerCase())),
  ],
  ['its host has control characters or spaces', ({ host }) => host !== undefined && /[\x00-\x20\x7f]/.test(host)],
];

export function skipReasonOf(request: Sendable, target: string): string | undefined {
  return skipReasons.find(([, applies]) => applies(request, target))?.[0];
}

/** Returns whether a vector is about a request without a peer, of a policy that asks for it. On the wire each request has one. */
export function lacksPeer({ policy, request }: VectorCase): boolean {
  const { exceptions = [] } = policy as { readonly exceptions?: readonly { readonly clients?: unknown }[] };
  return request.ip === undefined && exceptions.some(({ clients }) => clients !== undefined);
}

export const vectorSkipReason = (request: VectorRequest): string | undefined =>
  skipReasonOf({ ...request, headers: headersOf(request) }, bytesOf(request, 'target') ?? '/');

/** Returns the headers of a vector. X-Forwarded-For carries its peer if the policy trusts this machine. */
function forwardedHeaders(request: VectorRequest, isTrusted: boolean): readonly (readonly [string, string])[] {
  const headers = headersOf(request);
  const { ip } = request;
  if (ip === undefined || !isTrusted) return headers;
  return [...headers, ['X-Forwarded-For', ip]];
}

export function requestOf(vector: VectorRequest, isTrusted: boolean): ProbeRequest {
  const body = bytesOf(vector, 'body');
  return {
    method: vector.method ?? 'GET',
    target: bytesOf(vector, 'target') ?? '/',
    headers: forwardedHeaders(vector, isTrusted),
    ...(body !== undefined && { body }),
    ...(vector.host !== undefined && { host: vector.host }),
  };
}

/** Returns the probes of the vectors. Cases that differ only in their policy become one request. */
export function vectorProbes({ isTrusted }: Setting, cases: readonly VectorCase[]): (Probe | Skipped)[] {
  const rows = new Map<string, Probe | Skipped>();
  for (const { id: name, description, request } of cases) {
    const id = `vector:${name}`;
    const reason = vectorSkipReason(request);
    const sent = requestOf(request, isTrusted);
    const key = reason === undefined ? JSON.stringify(sent) : id;
    if (rows.has(key)) continue;
    rows.set(
      key,
      reason === undefined ? { id, source: 'vector', description, requests: [sent] } : { id, source: 'vector', reason },
    );
  }
  return [...rows.values()];
}
