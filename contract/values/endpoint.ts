/** Parses addresses to listen on and to connect to: `:2222`, `[::1]:80`, `db.internal:5432`, `unix:/run/app.sock`. */
import { type Address, canonicalAddress, contains, type Network, parseAddress, parseNetwork } from './address.ts';

export interface Endpoint {
  /** Canonical address, or name in lower case. Empty: every address of the machine. */
  readonly host: string;
  readonly port: number;
}

export type Upstream = Endpoint | { readonly path: string };

const largestPort = 65_535;
const form = /^(?:\[(?<ipv6>[^\]]*)\]|(?<name>[^:[\]]*)):(?<port>0|[1-9]\d{0,4})$/;
const hostName = /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$/;
/** A path of at most 107 bytes. Linux reserves 108 bytes for the path and its NUL (unix(7)). */
const unixForm = /^unix:(\/[\x21-\x7e]{1,106})$/;
const dottedDigits = /^[\d.]+$/; // such a host must be a valid address

function canonicalName(name: string): string | undefined {
  if (dottedDigits.test(name)) return canonicalAddress(name);
  return hostName.test(name) ? name.toLowerCase() : undefined;
}

function canonicalHost(ipv6: string | undefined, name: string): string | undefined {
  if (ipv6 === undefined) return name === '' || name === '*' ? '' : canonicalName(name);
  return ipv6.includes(':') ? canonicalAddress(ipv6) : undefined;
}

function parse(text: string): Endpoint | undefined {
  const parts = form.exec(text)?.groups;
  if (!parts || Number(parts.port) > largestPort) return undefined;
  const host = canonicalHost(parts.ipv6, parts.name ?? '');
  return host === undefined ? undefined : { host, port: Number(parts.port) };
}

/**
 * Parses a listen address: a host and a port. The host is an address, `localhost`, or for every address `*` or nothing.
 * Port 0 selects a free port.
 */
export function parseListen(text: string): Endpoint | undefined {
  const endpoint = parse(text);
  if (!endpoint) return undefined;
  const { host } = endpoint;
  return host === '' || host === 'localhost' || parseAddress(host) ? endpoint : undefined;
}

/** Parses an upstream: a host name or address with a port other than 0, or `unix:` and an absolute path. */
export function parseUpstream(text: string): Upstream | undefined {
  const path = unixForm.exec(text)?.[1];
  if (path !== undefined) return { path };
  const endpoint = parse(text);
  return endpoint && endpoint.host !== '' && endpoint.port > 0 ? endpoint : undefined;
}

const loopback = ['127.0.0.0/8', '::1/128'].map((text) => parseNetwork(text) as Network);

/** Whether only this machine can reach the host. */
export function isLoopback(host: string): boolean {
  const address: Address | undefined = parseAddress(host);
  return host === 'localhost' || (address !== undefined && loopback.some((network) => contains(network, address)));
}

/** Hosts that mean every address of the machine. `0.0.0.0` means only the IPv4 addresses. */
const anyHosts = ['', '0.0.0.0', '::'];

/** Returns the addresses that a host can mean. The system chooses the address of `localhost`. */
const possibleAddresses = (host: string): readonly string[] =>
  host === 'localhost' ? [host, '127.0.0.1', '::1'] : [host];

const isSameHost = (a: string, b: string): boolean =>
  possibleAddresses(a).some((host) => possibleAddresses(b).includes(host));

export function overlaps(a: Endpoint, b: Endpoint): boolean {
  if (a.port !== b.port || a.port === 0) return false;
  return isSameHost(a.host, b.host) || anyHosts.includes(a.host) || anyHosts.includes(b.host);
}

/**
 * Whether a connection to `to` arrives at a listener on `from`. Considers only the texts, not the addresses of the
 * machine.
 */
export function reaches(to: Endpoint, from: Endpoint): boolean {
  if (from.port !== to.port) return false;
  const isOther = from.host === '0.0.0.0' && to.host.includes(':'); // `::` also accepts IPv4
  return isSameHost(from.host, to.host) || (anyHosts.includes(from.host) && isLoopback(to.host) && !isOther);
}
