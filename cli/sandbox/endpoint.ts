/** The address of a container engine, as DOCKER_HOST and Docker contexts write it. */

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

/** Ports of the Docker API: plain, and with TLS. */
const plainPort = 2375;
const tlsPort = 2376;
const defaultSocket = '/var/run/docker.sock';

/** `unix:///path`, `tcp://host:port` (also without a scheme) or `ssh://user@host:port`; undefined for anything else. */
export function parseHost(host: string): Address | undefined {
  const [scheme = '', rest = ''] = host.includes('://') ? host.split(/:\/\/(.*)/s) : ['tcp', host];
  if (scheme === 'unix') return { kind: 'unix', path: rest || defaultSocket };
  const url = URL.parse(`http://${rest}`);
  if (!url || url.hostname === '') return undefined;
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1');
  // WHATWG URLs drop the default port of their scheme, so `:80` has to be read from the text.
  const written = /:(\d+)\/?$/.exec(rest)?.[1];
  const port = written === undefined ? undefined : Number(written);
  if (scheme === 'ssh') {
    return { kind: 'ssh', host: name, ...(port && { port }), ...(url.username && { user: url.username }) };
  }
  if (!['tcp', 'http', 'https'].includes(scheme)) return undefined;
  return { kind: 'tcp', host: name, port: port ?? (scheme === 'https' ? tlsPort : plainPort) };
}

/** The address as users write it. */
export function addressText(address: Address): string {
  if (address.kind === 'unix') return `unix://${address.path}`;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  if (address.kind === 'tcp') return `tcp://${host}:${address.port}`;
  return `ssh://${address.user ? `${address.user}@` : ''}${host}${address.port ? `:${address.port}` : ''}`;
}

/** Whether ports that are published on the engine's loopback are ports of this machine. */
export function isLocal(address: Address): boolean {
  return address.kind === 'unix' || (address.kind === 'tcp' && /^(?:localhost|127\..*|::1)$/.test(address.host));
}
