/** Where a service listens and where it relays to: `:2222`, `127.0.0.1:9091`, `[::1]:80`, `db.internal:5432`, `unix:/run/app.sock`. */
import { type Address, contains, formatAddress, type Network, parseAddress, parseNetwork } from './address.ts';

export interface Endpoint {
  /** An address in canonical form, or a name in lower case; empty: every address of the machine. */
  readonly host: string;
  readonly port: number;
}

/** Where to connect: a host with a port, or the path of a Unix socket. */
export type Upstream = Endpoint | { readonly path: string };

const largestPort = 65_535;
const form = /^(?:\[(?<ipv6>[^\]]*)\]|(?<name>[^:[\]]*)):(?<port>0|[1-9]\d{0,4})$/;
const hostName = /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$/;
/** At most 107 bytes: Linux has 108 for the path with its end (unix(7)). */
const unixForm = /^unix:(\/[\x21-\x7e]{1,106})$/;
const dotted = /^[\d.]+$/; // such a host means an address, so it has to be one

function canonicalAddress(text: string): string | undefined {
  const address = parseAddress(text);
  return address && formatAddress(address);
}

function canonicalName(name: string): string | undefined {
  if (dotted.test(name)) return canonicalAddress(name);
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

/** Where to listen: an address, `localhost`, or nothing for every address, and a port; port 0 takes a free one. */
export function parseListen(text: string): Endpoint | undefined {
  const endpoint = parse(text);
  if (!endpoint) return undefined;
  const { host } = endpoint;
  return host === '' || host === 'localhost' || parseAddress(host) ? endpoint : undefined;
}

/** Where to connect: a name or an address, and a port from 1; or `unix:` and an absolute path. */
export function parseUpstream(text: string): Upstream | undefined {
  const path = unixForm.exec(text)?.[1];
  if (path !== undefined) return { path };
  const endpoint = parse(text);
  return endpoint && endpoint.host !== '' && endpoint.port > 0 ? endpoint : undefined;
}

const loopback = ['127.0.0.0/8', '::1/128'].map((text) => parseNetwork(text) as Network);

/** Whether only this machine can reach a host of an endpoint. */
export function isLoopback(host: string): boolean {
  const address: Address | undefined = parseAddress(host);
  return host === 'localhost' || (address !== undefined && loopback.some((network) => contains(network, address)));
}

/** The addresses that mean every address of one family; an endpoint without host means both. */
const anyHosts = ['', '0.0.0.0', '::'];

/** What a host can mean: the system chooses the address of `localhost`. */
const meanings = (host: string): readonly string[] => (host === 'localhost' ? [host, '127.0.0.1', '::1'] : [host]);

const isSameHost = (a: string, b: string): boolean => meanings(a).some((host) => meanings(b).includes(host));

/** Whether two listeners would ask for the same port of the same address. */
export function overlaps(a: Endpoint, b: Endpoint): boolean {
  if (a.port !== b.port || a.port === 0) return false;
  return isSameHost(a.host, b.host) || anyHosts.includes(a.host) || anyHosts.includes(b.host);
}

/** Whether a connection to `to` arrives at a listener on `from`, as far as it shows without the addresses of the machine. */
export function reaches(to: Endpoint, from: Endpoint): boolean {
  if (from.port !== to.port) return false;
  const isOther = from.host === '0.0.0.0' && to.host.includes(':'); // `::` also takes IPv4
  return isSameHost(from.host, to.host) || (anyHosts.includes(from.host) && isLoopback(to.host) && !isOther);
}
