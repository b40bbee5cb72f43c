import type { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { Endpoint } from './locate.ts';
import { SshAgent } from './ssh.ts';

/** Options of Node's `request`. */
export interface Route {
  readonly protocol: 'http:' | 'https:';
  readonly socketPath?: string;
  readonly host?: string;
  readonly port?: number;
  readonly agent?: Agent;
}

export function routeOf({ address, tls }: Endpoint): Route {
  if (address.kind === 'unix') return { protocol: 'http:', socketPath: address.path };
  if (address.kind === 'ssh') return { protocol: 'http:', host: 'ssh.invalid', port: 80, agent: new SshAgent(address) };
  const { host, port } = address;
  if (!tls) return { protocol: 'http:', host, port };
  const { ca, cert, key, verify } = tls;
  return { protocol: 'https:', host, port, agent: new TlsAgent({ ca, cert, key, rejectUnauthorized: verify }) };
}
