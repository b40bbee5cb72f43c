/** The configurations of the relays. Each refuses a list of ten thousand addresses. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { host, type Place, type Ports, portPairs, refusedAddress } from './ports.ts';

const refusedAddresses = [
  ...Array.from({ length: 10_000 }, (_, index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`),
  refusedAddress,
];
/** Each connection needs two descriptors, and a container has 20,000. Spliced connections need more. */
const mostConnections = 9000;
const mostSplicedConnections = 4500;

interface HaproxyOptions {
  readonly splice?: true;
  readonly threads?: number;
}

export function haproxyConfig(
  { folder, upstreams }: Place,
  ports: Ports,
  { splice, threads = 1 }: HaproxyOptions,
): string {
  const most = splice ? mostSplicedConnections : mostConnections;
  const list = join(folder, 'refused');
  writeFileSync(list, refusedAddresses.join('\n'));
  const listeners = portPairs(ports, upstreams).map(
    ([name, port, upstream]) => `
listen ${name}
  bind ${host}:${port}
  tcp-request connection reject if { src -f ${list} }
  server upstream ${host}:${upstream}`,
  );
  return `global
  nbthread ${threads}
  maxconn ${most}
defaults
  mode tcp
  maxconn ${most}
  timeout connect 5s
  timeout client 10m
  timeout server 10m
  ${splice ? 'option splice-request\n  option splice-response' : ''}
${listeners.join('\n')}
`;
}

export interface GuardOptions {
  readonly dataPlane?: string;
  readonly workers?: number;
  /** A limit of connections of each address. */
  readonly perAddress?: number;
}

export function tcpGuardConfig(
  { folder, upstreams }: Place,
  ports: Ports,
  { dataPlane, workers = 1, perAddress = 0 }: GuardOptions,
): string {
  const services = portPairs(ports, upstreams).map(
    ([name, port, upstream]) => `
  ${name}:
    listen: "${host}:${port}"
    upstream: ${host}:${upstream}
    protocol: generic
    max_connections: ${mostConnections}
    response: {mode: reject}`,
  );
  return `version: 1
global:
  log_level: error
  log_file: ${folder}/audit.jsonl
  data_dir: ${folder}/data
  max_connections: ${mostConnections}
  max_connections_per_ip: ${perAddress}
  never_ban: []
  workers: ${workers}${dataPlane === undefined ? '' : `\n  data_plane: ${dataPlane}`}
  ip_filter: {deny: [${refusedAddresses.join(', ')}]}
bans: {kernel: "off"}
api: {listen: "", socket: ${folder}/api.sock}
services:${services.join('')}
`;
}
