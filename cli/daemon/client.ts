/** Client for the management API of tcp-guard, over HTTP or its Unix socket. */
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import * as z from 'zod/mini';
import { BanList, BanRecord, ErrorAnswer, ExemptionRecord, Why } from '../../contract/api/records.ts';
import { Health, Services, Stats } from '../../contract/api/state.ts';
import type { AuditRecord } from '../../contract/events/members.ts';
import { readRecord } from '../../contract/events/read.ts';
import { textWithin } from '../../platform/bounded.ts';
import { UsageError } from '../../platform/errors.ts';
import { responseTo } from '../../platform/response-to.ts';
import { connectionReasons } from '../program/connection-reasons.ts';
import { quote } from '../program/quote.ts';
import { createEventParser } from './event-stream.ts';

export type Address =
  | { readonly kind: 'http'; readonly origin: URL }
  | { readonly kind: 'unix'; readonly path: string };

export const defaultAddress = 'http://127.0.0.1:9091';
/** The token is not an option, because other users can read command lines. */
export const tokenVariable = 'GUARD_API_TOKEN';

/** Parses the URL or the Unix socket of the management API. @throws UsageError */
export function parseAddress(text: string): Address {
  const path = /^unix:\/\/(\/.+)$/.exec(text)?.[1];
  if (path !== undefined) return { kind: 'unix', path };
  const origin = URL.parse(text);
  if (origin?.protocol === 'http:' && origin.href === `${origin.origin}/`) return { kind: 'http', origin };
  throw new UsageError(`${JSON.stringify(text)} is not an address of the management API`, {
    code: 'bad_daemon',
    hint: `write it as ${defaultAddress} or unix:///run/guard/api.sock`,
  });
}

/** Returns a curl command that makes the same call as this client. */
export function curlLine(address: Address, hasToken: boolean, path: string, body?: object): string {
  const target = address.kind === 'unix' ? ['--unix-socket', quote(address.path)] : [];
  const token = hasToken ? ['-H', `"Authorization: Bearer $${tokenVariable}"`] : [];
  const json = body === undefined ? [] : ['--json', quote(JSON.stringify(body))];
  const origin = address.kind === 'unix' ? 'http://guard' : address.origin.origin;
  return ['curl', ...target, ...token, ...json, origin + path].join(' ');
}

export interface Snapshot {
  readonly health: Health;
  readonly stats: z.output<typeof Stats>;
  readonly services: z.output<typeof Services>;
  readonly bans: readonly BanRecord[];
}

export type SourceStats = NonNullable<z.output<typeof Stats>['intake']>[number];

export type DaemonEvent = AuditRecord;

const timeoutMs = 5000;
/** Maximum bytes of a response. 1000 bans have 200 KB. */
const longestAnswer = 4 * 1024 * 1024;

/** A call that the daemon refused. `code` is empty when the response is not from tcp-guard. */
export class Refusal extends Error {
  readonly code: string;

  constructor(status: number, text: string) {
    const { data } = z.safeParse(ErrorAnswer, parseJson(text));
    super(data?.error.message ?? `status ${status}`);
    this.code = data?.error.code ?? '';
  }
}

/** Returns why a call failed, as a clause. */
export function reasonOf(error: unknown): string {
  const { code = '', message, name } = error as NodeJS.ErrnoException;
  return name === 'TimeoutError' ? `no response within ${timeoutMs / 1000} s` : (connectionReasons[code] ?? message);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export class DaemonClient {
  readonly #address: Address;
  readonly #token: string | undefined;

  constructor(address: Address, token: string | undefined) {
    this.#address = address;
    this.#token = token;
  }

  async #open(options: RequestOptions, body?: string): Promise<IncomingMessage> {
    const address = this.#address;
    const place =
      address.kind === 'unix'
        ? { socketPath: address.path, host: 'guard' }
        : { hostname: address.origin.hostname.replace(/^\[(.*)\]$/, '$1'), port: address.origin.port || 80 };
    const authorization = this.#token === undefined ? {} : { Authorization: `Bearer ${this.#token}` };
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const headers = { ...authorization, ...type, ...(options.headers as Record<string, string>) };
    return responseTo(request({ ...place, ...options, headers }), body);
  }

  async #answer(options: RequestOptions, body?: string): Promise<{ readonly status: number; readonly text: string }> {
    const response = await this.#open(options, body);
    return { status: response.statusCode ?? 0, text: await textWithin(response, longestAnswer) };
  }

  async #call<S extends z.ZodMiniType>(
    schema: S,
    path: string,
    signal: AbortSignal,
    body?: object,
  ): Promise<z.output<S>> {
    const late = AbortSignal.timeout(timeoutMs);
    const method = body === undefined ? 'GET' : 'POST';
    const options = { path, method, signal: AbortSignal.any([signal, late]) };
    const { status, text } = await this.#answer(options, body && JSON.stringify(body)).catch((error: unknown) => {
      throw late.aborted ? late.reason : error;
    });
    // `/health` of a daemon that cannot serve responds with its state and status 503.
    if (status >= 300 && !(path === '/health' && status === 503)) throw new Refusal(status, text);
    const { data, success } = z.safeParse(schema, parseJson(text));
    if (!success) throw new Error(`the response to ${path} is not one of tcp-guard`);
    return data as z.output<S>;
  }

  async snapshot(signal: AbortSignal): Promise<Snapshot> {
    const [health, stats, services, { bans }] = await Promise.all([
      this.#call(Health, '/health', signal),
      this.#call(Stats, '/stats', signal),
      this.#call(Services, '/services', signal),
      this.bans(new URLSearchParams({ limit: '1000', origin: 'all' }), signal),
    ]);
    return { health, stats, services, bans };
  }

  bans(search: URLSearchParams, signal: AbortSignal): Promise<z.output<typeof BanList>> {
    return this.#call(BanList, `/banlist?${search}`, signal);
  }

  /** Returns the counts of the sources of `intake`. Empty for an older tcp-guard. */
  async sources(signal: AbortSignal): Promise<readonly SourceStats[]> {
    return (await this.#call(Stats, '/stats', signal)).intake ?? [];
  }

  /** Bans or unbans an address. Returns the ban in force, or the ban that was lifted. */
  change(path: '/ban' | '/unban', body: object, signal: AbortSignal): Promise<BanRecord> {
    return this.#call(BanRecord, path, signal, body);
  }

  /** Returns everything that decides on an address or network. */
  why(ip: string, signal: AbortSignal): Promise<Why> {
    return this.#call(Why, `/why?${new URLSearchParams({ ip })}`, signal);
  }

  /** Adds or ends an exemption. */
  exempt(path: '/allow' | '/disallow', body: object, signal: AbortSignal): Promise<ExemptionRecord> {
    return this.#call(ExemptionRecord, path, signal, body);
  }

  /**
   * Calls `onEvent` for each event until the stream ends. Returns the id of the last event.
   * @throws Refusal, or the error of a connection that fails before its first new event
   */
  async follow(
    lastId: string,
    onEvent: (event: DaemonEvent) => void,
    signal: AbortSignal,
    action?: DaemonEvent['action'],
  ): Promise<string> {
    const headers = lastId === '' ? {} : { 'Last-Event-ID': lastId };
    const path = action === undefined ? '/events' : `/events?action=${action}`;
    const response = await this.#open({ path, method: 'GET', signal, headers });
    if (response.statusCode !== 200)
      throw new Refusal(response.statusCode ?? 0, await textWithin(response, longestAnswer));
    const parser = createEventParser((data) => {
      const record = readRecord(data)?.record;
      if (record?.type === 'security_event') onEvent(record);
    }, lastId);
    try {
      for await (const chunk of response.setEncoding('utf8')) parser.push(chunk as string);
    } catch (error) {
      if (parser.lastId() === lastId) throw error;
    }
    return parser.lastId();
  }
}
