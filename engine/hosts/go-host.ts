/** The authority of an absolute request target, as Go's net/url reads it (`parseAuthority`, `parseHost`). */
import { parseAddress } from '../../contract/values/address.ts';

/** `validUserinfo`; its escapes have to be whole. */
const userinfo = /^(?:[A-Za-z0-9\-._:~!$&'()*+,;=@]|%[0-9A-Fa-f]{2})*$/;

/** Bytes that a host may hold unescaped (`encodeHost` in net/url/encoding_table.go), and escapes: of high bytes, or of `%`. */
const hostName = /^(?:[A-Za-z0-9\-._~!"$&'()*+,;=:<>[\]\x80-\xff]|%[89A-Fa-f][0-9A-Fa-f]|%25)*$/;

/** An IPv6 literal; a zone is anything that a host may hold, in escapes also a space, behind `%25` (RFC 6874). */
const literal = /^\[([0-9A-Fa-f:.]+)(%25(?:[^%]|%[0-9A-Fa-f]{2})+)?\](:\d*)?$/;
const zoneByte = /^[A-Za-z0-9\-._~!"$&'()*+,;=:<>[\]% ]$/;

const decoded = (text: string) =>
  text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

function ipLiteral(host: string): string | undefined {
  const [, address = '', zone = '', port = ''] = literal.exec(host) ?? [];
  const isIpv6 = address.includes(':') && parseAddress(address) !== undefined;
  const escapes = zone.match(/%[0-9A-Fa-f]{2}/g) ?? [];
  const bytes = zone.replace(/%[0-9A-Fa-f]{2}/g, '');
  if (!isIpv6 || !hostName.test(bytes) || !escapes.every((code) => zoneByte.test(decoded(code)))) return undefined;
  return `[${address}${decoded(zone)}]${port}`;
}

/** Where the port starts: Go takes the last colon, but for http and https a host has only one (go.dev/issue/75223). */
function portOf(scheme: string, host: string): string {
  const isWeb = /^https?$/i.test(scheme);
  const colon = isWeb ? host.indexOf(':') : host.lastIndexOf(':');
  return colon < 0 ? '' : host.slice(colon);
}

/** `httpguts.ValidHostHeader`. */
const hostHeader = /^[A-Za-z0-9\-._~!$%&'()*+,:;=[\]]*$/;
export const isHostHeader = (host: string): boolean => hostHeader.test(host);

/** The decoded host of an authority, without user information; undefined when Go answers 400. */
export function goHost(scheme: string, authority: string): string | undefined {
  const at = authority.lastIndexOf('@');
  if (!userinfo.test(authority.slice(0, Math.max(at, 0)))) return undefined;
  const host = authority.slice(at + 1);
  const bracket = host.lastIndexOf('[');
  if (bracket === 0) return ipLiteral(host);
  if (bracket > 0 || !/^(?::\d*)?$/.test(portOf(scheme, host)) || !hostName.test(host)) return undefined;
  return decoded(host);
}
