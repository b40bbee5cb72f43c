/** Downloads a list within bounds of bytes, time and redirects. */
import { type LookupAddress, lookup as resolveName } from 'node:dns';
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isPrivate } from '../../contract/values/private.ts';
import { bytesWithin } from '../../platform/bounded.ts';

const mostRedirects = 3;

export interface DownloadOptions {
  readonly mostBytes: number;
  /** Milliseconds for all of it. */
  readonly ms: number;
  /** The ETag of the content that the caller has. */
  readonly etag?: string | undefined;
  readonly signal?: AbortSignal;
}

/** `text` is undefined when the caller's content is still current. */
export interface Downloaded {
  readonly text: string | undefined;
  readonly etag: string | undefined;
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

const refusePrivate = (address: string): void => {
  if (isPrivate(address)) throw new Error(`a redirect to ${address}, a private address`);
};

/** Resolves the name of a redirect. Fails for private addresses, which only the host and its network can reach. */
const publicLookup: LookupFunction = (name, options, done) => {
  resolveName(name, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    try {
      if (error) throw error;
      for (const { address } of addresses) refusePrivate(address);
      const [{ address, family } = { address: '', family: 4 }] = addresses;
      if (options.all) done(null, addresses);
      else done(null, address, family);
    } catch (refusal) {
      done(refusal as NodeJS.ErrnoException, '', 4);
    }
  });
};

/** The URL of a redirect. @throws for one that is not followed */
function redirectTarget(location: string | undefined, from: URL): URL {
  const url = location === undefined ? null : URL.parse(location, from);
  if (url?.protocol !== 'https:') throw new Error('a redirect to an address without https');
  refusePrivate(hostOf(url));
  return url;
}

function open(url: URL, headers: Record<string, string>, isRedirected: boolean, signal: AbortSignal) {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const options: RequestOptions = { headers, signal, agent: false, ...(isRedirected && { lookup: publicLookup }) };
  return new Promise<IncomingMessage>((resolve, reject) => {
    request(url, options, resolve).on('error', reject).end();
  });
}

/** @throws Error that says why there is no content */
export async function download(address: string, options: DownloadOptions): Promise<Downloaded> {
  const timeout = AbortSignal.timeout(options.ms);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  const headers = {
    'User-Agent': 'request-guard',
    Accept: '*/*',
    ...(options.etag !== undefined && { 'If-None-Match': options.etag }),
  };
  try {
    let url = new URL(address);
    for (let redirects = 0; ; redirects++) {
      const response = await open(url, headers, redirects > 0, signal);
      const { statusCode = 0, headers: answered } = response;
      if (statusCode >= 300 && statusCode < 400 && statusCode !== 304) {
        response.destroy();
        if (redirects === mostRedirects) throw new Error(`more than ${mostRedirects} redirects`);
        url = redirectTarget(answered.location, url);
        continue;
      }
      if (statusCode === 304) return { text: undefined, etag: options.etag };
      if (statusCode !== 200) throw new Error(`status ${statusCode}`);
      const bytes = await bytesWithin(response, options.mostBytes);
      if (!bytes) throw new Error(`more than ${options.mostBytes} bytes`);
      if (!response.complete) throw new Error('the response was truncated');
      return { text: bytes.toString('utf8'), etag: answered.etag };
    }
  } catch (error) {
    throw timeout.aborted ? new Error(`no complete response within ${options.ms / 1000} s`) : error;
  }
}
