/** tcp-guard: the daemon in a container, before backends that speak by a script. */

import type { Daemon } from '../../../contract/daemon.ts';
import { parseListen } from '../../../contract/endpoint.ts';
import { yamlDocument, yamlText } from '../../generate/yaml.ts';
import { type Conversation, conversations } from '../../probes/tcp/conversations.ts';
import { type Assembly, assemble, containerPort, type Plan, runnerFile, type Upstream } from '../plan.ts';
import { configFolder, type ImageParts } from './target.ts';

export type ServiceConfig = Daemon['services'][string];

export const tcpGuard: ImageParts = {
  name: 'tcp-guard',
  folder: 'sandbox-images/tcp-guard',
  base: 'debian',
  artefacts: ['runner'],
  runtime: 'node',
  sources: ['package.json', 'dist/bin'],
};

const file = 'tcp-guard.yaml';

/** The container has 128 MiB for the daemon, the runner and what the kernel buffers for them. */
const command = [
  '/usr/local/bin/node',
  '--max-old-space-size=64',
  '/app/dist/bin/tcp-guard.js',
  '-c',
  `${configFolder}/${file}`,
];

/** The service that the probes of relaying use, which the user's file may have none for. */
export const probeService = 'sandbox-probe';

/** Port of the backend of the first service; the others follow. */
const firstUpstream = 9100;

/** Bytes of a tarpit come no slower, so that a suite does not take minutes. */
const slowestTarpitMs = 200;

export interface PublishedService {
  readonly name: string;
  readonly config: ServiceConfig;
  readonly hostPort: number;
}

export interface TcpInput extends Omit<Assembly, 'name' | 'hostPorts' | 'env' | 'hostNames' | 'files' | 'notes'> {
  readonly daemon: Daemon;
  /** Of this machine: the API; the services follow. */
  readonly port: number;
  readonly token: string;
  /** Clients are whoever a PROXY header says. */
  readonly isTest: boolean;
}

export interface TcpPlan extends Plan {
  readonly services: readonly PublishedService[];
  /** The daemon's configuration in the container. */
  readonly daemon: Daemon;
}

/** What of the user's file has no meaning in a container, one sentence each. */
function notesOf({ global, threatfeed, intake, port_scan, services }: Daemon): string[] {
  const policies = Object.values(services).some(({ http }) => http?.policy !== undefined);
  const left: readonly (readonly [boolean, string])[] = [
    [global.geoip_db !== '', 'geo_block is left out: the GeoIP database is not in the container'],
    [threatfeed.enabled, 'threatfeed is left out: a sandbox asks nobody for decisions'],
    [intake.length > 0, 'intake is left out: the files of the gateways are not in the container'],
    [port_scan.listen.length > 0, 'port_scan is left out: a sandbox publishes the ports of its services alone'],
    [policies, 'http.policy is left out: its file is not in the container'],
  ];
  return left.flatMap(([isLeft, note]) => (isLeft ? [note] : []));
}

function serviceOf(config: ServiceConfig, index: number, isTest: boolean): ServiceConfig {
  const { policy: _, ...http } = config.http ?? { policy: undefined, allow_hosts: [] };
  const { response, proxy_protocol } = config;
  return {
    ...config,
    listen: `:${containerPort(index + 1)}`,
    upstream: `127.0.0.1:${firstUpstream + index}`,
    geo_block: { allow_countries: [], deny_countries: [] },
    ...(config.http && { http }),
    ...(isTest && {
      proxy_protocol: { ...proxy_protocol, accept_from: ['0.0.0.0/0', '::/0'] },
      response: { ...response, tarpit_ms: Math.min(response.tarpit_ms, slowestTarpitMs) },
    }),
  };
}

const generic: ServiceConfig = {
  ...{ enabled: true, listen: ':1', upstream: 'a:1', protocol: 'generic', max_connections_per_ip: 0 },
  ip_filter: { allow: [], deny: [] },
  geo_block: { allow_countries: [], deny_countries: [] },
  proxy_protocol: { accept_from: [], send: 'off' },
  response: { mode: 'drop', tarpit_ms: 1000 },
  timeouts: { connect: '5s', first_byte: '10s', idle: '10m', total: '0s' },
};

/** The services as they are in the container, in the order of their ports. */
function servicesOf({ daemon, isTest }: TcpInput): (readonly [string, ServiceConfig])[] {
  const own = Object.entries(daemon.services).filter(([, { enabled }]) => enabled);
  const all = isTest ? [...own, [probeService, generic] as const] : own;
  return all.map(([name, config], index) => [name, serviceOf(config, index, isTest)]);
}

function daemonOf(input: TcpInput, services: readonly (readonly [string, ServiceConfig])[]): Daemon {
  const { daemon, token } = input;
  const { global, api, threatfeed, port_scan } = daemon;
  return {
    ...daemon,
    global: {
      ...global,
      ...{ log_level: 'info', log_file: '/dev/stdout', data_dir: '/tmp/guard', geoip_db: '' },
      geo_block: { allow_countries: [], deny_countries: [] },
    },
    api: {
      listen: `:${containerPort(0)}`,
      socket: '',
      auth_token: token,
      allowed_hosts: [...new Set([...api.allowed_hosts, 'localhost', '127.0.0.1', '[::1]'])],
    },
    threatfeed: { ...threatfeed, enabled: false, push: false },
    intake: [],
    services: Object.fromEntries(services),
    port_scan: { ...port_scan, listen: [] },
  };
}

const base64 = (bytes: Buffer): string => bytes.toString('base64');

function upstreamOf({ protocol, upstream, proxy_protocol }: ServiceConfig): Upstream {
  const { greeting, hello = [], badLogin = [] }: Conversation = conversations[protocol];
  const replies = [...badLogin, ...hello].map(({ send, reply }) => ({ when: base64(send), send: base64(reply) }));
  const takesProxy = proxy_protocol.send !== 'off';
  return { listen: upstream, takesProxy, ...(greeting && { greeting: base64(greeting) }), replies };
}

/** The port of this machine for the service at this place. */
const hostPortOf = ({ port }: TcpInput, index: number): number => port + 1 + index;

export function planTcpGuard(input: TcpInput): TcpPlan {
  const { image, session, ipv6, isolated, detach, port } = input;
  const services = servicesOf(input);
  const daemon = daemonOf(input, services);
  const api = parseListen(daemon.api.listen)?.port;
  const runner = runnerFile({
    command,
    ready: `127.0.0.1:${api}/health`,
    upstreams: services.map(([, config]) => upstreamOf(config)),
    holdStdin: !detach,
  });
  const published = services.map(([name, config], index) => ({ name, config, hostPort: hostPortOf(input, index) }));
  const plan = assemble({
    ...{ name: tcpGuard.name, image, session, ipv6, isolated, detach },
    hostPorts: [port, ...published.map(({ hostPort }) => hostPort)],
    env: {},
    hostNames: [],
    files: [runner, { name: file, text: yamlText(yamlDocument(daemon)) }],
    notes: notesOf(input.daemon),
  });
  return { ...plan, services: published, daemon };
}
