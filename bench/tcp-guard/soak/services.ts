import { mostConnections } from './daemon.ts';

/** `limited` admits one connection a minute from an address, `trap` records probes. */
export const soakListeners = ['echo', 'source', 'random', 'limited', 'trap'] as const;
export type SoakPorts = Readonly<Record<(typeof soakListeners)[number], number>>;

type Upstreams = Readonly<Record<'echo' | 'source' | 'random', number>>;

export const servicesText = (ports: SoakPorts, upstream: Upstreams): string => `
services:
  echo: {listen: "127.0.0.1:${ports.echo}", upstream: "127.0.0.1:${upstream.echo}", max_connections: ${mostConnections}}
  source: {listen: "127.0.0.1:${ports.source}", upstream: "127.0.0.1:${upstream.source}"}
  random: {listen: "127.0.0.1:${ports.random}", upstream: "127.0.0.1:${upstream.random}"}
  limited:
    listen: "127.0.0.1:${ports.limited}"
    upstream: "127.0.0.1:${upstream.echo}"
    protocol: tls
    rate_limit: {connections_per_minute: 1, burst: 1}
port_scan: {listen: ["127.0.0.1:${ports.trap}"], threshold: 3, window: 10m}
`;
