/** Downloads a list within bounds of bytes, time and redirects. */
import { type LookupAddress, lookup as resolveName } from 'node:dns';
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { contains, networksOf, parseAddress } from '../../contract/values/address.ts';
import { bytesWithin } from '../../platform/bounded.ts';
import { responseTo } from '../../platform/response-to.ts';

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

/**
 * Networks that only the host and its network can reach. Beside the private ones: on Linux, 0.0.0.0 and :: are this host
 * (`::/96` also has IPv4 addresses in an old form, RFC 4291 2.5.5.1), and a translator may lead 64:ff9b:1::/48 to private IPv4
 * addresses (RFC 8215).
 */
const closedNetworks = networksOf(['private', '0.0.0.0/8', '::/96', '64:ff9b:1::/48']);

const refusePrivate = (text: string): void => {
  const address = parseAddress(text);
  if (address && closedNetworks.some((network) => contains(network, address)))
    throw new Error(`a redirect to ${text}, a private address`);
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
  return responseTo(request(url, options));
}

/** Whether an ETag can be sent back: servers refuse requests with headers of 8 KB. */
const isUsableEtag = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x21-\x7e\x80-\xff]{1,1024}$/.test(value);

const truncated = (): Error => new Error('the response was truncated');

/** Whether a body has its own bytes. A small compressed one can have gigabytes. */
const isPlain = (encoding = ''): boolean => /^(?:identity)?$/i.test(encoding);

/** Reads the answer to the last request. @throws Error that says why there is no content */
async function bodyOf(response: IncomingMessage, { mostBytes, etag }: DownloadOptions): Promise<Downloaded> {
  const { statusCode = 0, headers } = response;
  if (statusCode === 304 && etag !== undefined) return { text: undefined, etag };
  if (statusCode !== 200) throw new Error(`status ${statusCode}`);
  if (!isPlain(headers['content-encoding'])) throw new Error('the response is compressed');
  const bytes = await bytesWithin(response, mostBytes).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ECONNRESET' ? truncated() : error;
  });
  if (!bytes) throw new Error(`more than ${mostBytes} bytes`);
  if (!response.complete) throw truncated();
  return { text: bytes.toString('utf8'), etag: isUsableEtag(headers.etag) ? headers.etag : undefined };
}

/** @throws Error that says why there is no content */
export async function download(address: string, options: DownloadOptions): Promise<Downloaded> {
  const timeout = AbortSignal.timeout(options.ms);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  const headers = {
    'User-Agent': 'request-guard',
    Accept: '*/*',
    'Accept-Encoding': 'identity',
    ...(options.etag !== undefined && { 'If-None-Match': options.etag }),
  };
  try {
    let url = new URL(address);
    for (let redirects = 0; ; redirects++) {
      const response = await open(url, headers, redirects > 0, signal);
      const { statusCode = 0, headers: answered } = response;
      try {
        if (statusCode < 300 || statusCode >= 400 || statusCode === 304) return await bodyOf(response, options);
        if (redirects === mostRedirects) throw new Error(`more than ${mostRedirects} redirects`);
        url = redirectTarget(answered.location, url);
      } finally {
        response.destroy(); // a body that is not read would keep the connection open
      }
    }
  } catch (error) {
    throw timeout.aborted ? new Error(`no complete response within ${options.ms / 1000} s`) : error;
  }
}
