/** Parses the authority of an absolute request target like Go's net/url (`parseAuthority`, `parseHost`). */
import { parseAddress } from '../../contract/values/address.ts';
import { unescaped } from './received.ts';

/** User information that `validUserinfo` accepts. Its escapes must be complete. */
const userinfoPattern = /^(?:[A-Za-z0-9\-._:~!$&'()*+,;=@]|%[0-9A-Fa-f]{2})*$/;

/** A host: bytes that may occur unescaped (`encodeHost` in net/url), and escapes of high bytes or of `%`. */
const hostNamePattern = /^(?:[A-Za-z0-9\-._~!"$&'()*+,;=:<>[\]\x80-\xff]|%[89A-Fa-f][0-9A-Fa-f]|%25)*$/;

/** An IPv6 literal. Its zone follows `%25` (RFC 6874) and has the bytes of a host, or escapes, even of a space. */
const ipLiteralPattern = /^\[([0-9A-Fa-f:.]+)(%25(?:[^%]|%[0-9A-Fa-f]{2})+)?\](:\d*)?$/;
const zoneByte = /^[A-Za-z0-9\-._~!"$&'()*+,;=:<>[\]% ]$/;

function ipLiteral(host: string): string | undefined {
  const [, address = '', zone = '', port = ''] = ipLiteralPattern.exec(host) ?? [];
  const isIpv6 = address.includes(':') && parseAddress(address) !== undefined;
  const escapes = zone.match(/%[0-9A-Fa-f]{2}/g) ?? [];
  const bytes = zone.replace(/%[0-9A-Fa-f]{2}/g, '');
  if (!isIpv6 || !hostNamePattern.test(bytes) || !escapes.every((code) => zoneByte.test(unescaped(code))))
    return undefined;
  return `[${address}${unescaped(zone)}]${port}`;
}

/**
 * Returns the port from its colon on. Go splits at the last colon, but a host of http and https may have only one
 * (go.dev/issue/75223).
 */
function portOf(scheme: string, host: string): string {
  const isWeb = /^https?$/i.test(scheme);
  const colon = isWeb ? host.indexOf(':') : host.lastIndexOf(':');
  return colon < 0 ? '' : host.slice(colon);
}

/** A host that `httpguts.ValidHostHeader` accepts. */
const hostHeaderPattern = /^[A-Za-z0-9\-._~!$%&'()*+,:;=[\]]*$/;
export const isHostHeader = (host: string): boolean => hostHeaderPattern.test(host);

/** Returns the decoded host of an authority, without user information. Returns undefined when Go responds with 400. */
export function goHost(scheme: string, authority: string): string | undefined {
  const at = authority.lastIndexOf('@');
  if (!userinfoPattern.test(authority.slice(0, Math.max(at, 0)))) return undefined;
  const host = authority.slice(at + 1);
  const bracket = host.lastIndexOf('[');
  if (bracket === 0) return ipLiteral(host);
  if (bracket > 0 || !/^(?::\d*)?$/.test(portOf(scheme, host)) || !hostNamePattern.test(host)) return undefined;
  return unescaped(host);
}
