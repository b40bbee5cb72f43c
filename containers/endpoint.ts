/** The address of a container runtime, as in DOCKER_HOST and Docker contexts. */

export type Address =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'ssh'; readonly host: string; readonly port?: number; readonly user?: string };

export interface Tls {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly verify: boolean;
}

const plainPort = 2375;
const tlsPort = 2376;
const defaultSocket = '/var/run/docker.sock';

/** Parses `unix:///path`, `tcp://host:port` (also without a scheme) or `ssh://user@host:port`. */
export function parseHost(host: string, tls: boolean): Address | undefined {
  const [, scheme = 'tcp', rest = ''] = /^(?:([a-z]+):\/\/)?(.*)$/s.exec(host) ?? [];
  if (scheme === 'unix') return { kind: 'unix', path: rest || defaultSocket };
  const url = URL.parse(`http://${rest}`);
  if (!url || url.hostname === '' || !['tcp', 'http', 'ssh'].includes(scheme)) return undefined;
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1');
  // URL drops the default port of its scheme.
  const port = Number(/:(\d+)\/?$/.exec(rest)?.[1] ?? 0);
  if (scheme !== 'ssh') return { kind: 'tcp', host: name, port: port || (tls ? tlsPort : plainPort) };
  return { kind: 'ssh', host: name, ...(port && { port }), ...(url.username && { user: url.username }) };
}

export function addressText(address: Address): string {
  if (address.kind === 'unix') return `unix://${address.path}`;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  if (address.kind === 'tcp') return `tcp://${host}:${address.port}`;
  return `ssh://${address.user ? `${address.user}@` : ''}${host}${address.port ? `:${address.port}` : ''}`;
}

/** True when the container runtime publishes ports on the loopback of this machine. */
export function isLocal(address: Address): boolean {
  return address.kind === 'unix' || (address.kind === 'tcp' && /^(?:localhost|127\..*|::1)$/.test(address.host));
}
