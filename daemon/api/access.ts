/**
 * Access control over TCP. Any web page can make a browser send requests to this address. The headers Origin and
 * Sec-Fetch-Site reveal such a page. With DNS rebinding, only Host reveals it.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { canonicalAddress } from '../../contract/values/address.ts';
import { ApiFailure } from './failure.ts';

interface AccessConfig {
  readonly auth_token: string;
  readonly allowed_hosts: readonly string[];
}

export interface Access {
  readonly needsToken: boolean;
  /** Whether the Host is not allowed, or the Origin or Sec-Fetch-Site shows another site. */
  readonly isForeign: (request: IncomingMessage) => boolean;
  /** @throws ApiFailure when the request is foreign */
  readonly checkOrigin: (request: IncomingMessage) => void;
  /** Whether the request has the token. True when no token is configured. */
  readonly hasToken: (request: IncomingMessage) => boolean;
}

const hostForm = /^(?<name>\[[0-9A-Fa-f:.]+\]|[^:[\]/@]+)(?::\d{1,5})?$/;

/** A name in lower case, or an address in canonical text. */
function canonicalHost(name: string): string {
  const bare = name.replace(/^\[(.*)\]$/, '$1');
  return canonicalAddress(bare) ?? name.toLowerCase();
}

function isAllowed(name: string, allowed: readonly string[]): boolean {
  return allowed.some((host) => (host.startsWith('*.') ? name.endsWith(host.slice(1)) : name === host));
}

/** Browsers send `none` for an address that the user typed. */
const sameSiteValues: readonly (string | undefined)[] = [undefined, 'same-origin', 'none'];

function isForeignSite({ headers: { origin, host, 'sec-fetch-site': site } }: IncomingMessage): boolean {
  if (origin !== undefined) return origin !== `http://${host}` && origin !== `https://${host}`;
  return !sameSiteValues.includes(site?.toString());
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const bearerForm = /^Bearer +(?<token>[\x21-\x7e]+) *$/i;

export function createAccess({ auth_token, allowed_hosts }: AccessConfig): Access {
  const allowed = allowed_hosts.map(canonicalHost);
  const wanted = digest(auth_token);
  const isForeignHost = ({ headers: { host = '' } }: IncomingMessage) => {
    const name = hostForm.exec(host)?.groups?.name;
    return name === undefined || !isAllowed(canonicalHost(name), allowed);
  };
  return {
    needsToken: auth_token !== '',
    isForeign: (request) => isForeignHost(request) || isForeignSite(request),
    checkOrigin: (request) => {
      if (isForeignHost(request)) throw new ApiFailure('forbidden_host');
      if (isForeignSite(request)) throw new ApiFailure('forbidden_origin');
    },
    hasToken: ({ headers: { authorization = '' } }) =>
      auth_token === '' || timingSafeEqual(digest(bearerForm.exec(authorization)?.groups?.token ?? ''), wanted),
  };
}
