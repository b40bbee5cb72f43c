/** Rewrites the addresses and paths of the user's configuration for the container. */
import type { Daemon } from '../../../contract/daemon/schema.ts';
import { probeService, type ServiceConfig } from '../../probes/tcp/published.ts';
import type { MountedFiles } from '../plan/mounted-files.ts';
import { containerPort } from '../plan/plan.ts';

/** Port of the first backend. The others use the following ports. */
const firstUpstream = 9100;

/** Longer tarpit delays would let the probes take minutes. */
export const slowestTarpitMs = 200;

/** Maximum number of trap ports. Each uses a port of this machine. */
export const mostTraps = 8;

/** Poll interval while probes wait for decisions. */
export const pollingInTest = '1s';

export const databaseFile = 'geoip.mmdb';

export const policyFile = (index: number): string => `policy-${index}.json`;

export interface ConfigInput {
  readonly daemon: Daemon;
  readonly mounted: MountedFiles;
  /** Why the container cannot evaluate policies. */
  readonly lacksNative?: string | undefined;
  readonly token: string;
  /** True when probes are sent: the daemon then trusts a PROXY header from every address. */
  readonly isTest: boolean;
}

/** The listeners except the API, in the order of their ports. */
export interface Listeners {
  readonly services: readonly (readonly [name: string, config: ServiceConfig])[];
  /** Addresses in the user's file. */
  readonly traps: readonly string[];
  readonly intakes: Daemon['intake'];
  readonly hasDecisions: boolean;
}

const genericService: ServiceConfig = {
  ...{
    enabled: true,
    listen: ':1',
    upstream: 'a:1',
    protocol: 'generic',
    max_connections: 0,
    max_connections_per_ip: 0,
  },
  ip_filter: { allow: [], deny: [] },
  geo_block: { allow_countries: [], deny_countries: [] },
  proxy_protocol: { accept_from: [], send: 'off' },
  response: { mode: 'drop', tarpit_ms: 1000 },
  timeouts: { connect: '5s', first_byte: '10s', idle: '10m', total: '0s' },
};

const noCountries = { allow_countries: [], deny_countries: [] };

/** The policy is a path in the container, and absent when the container cannot evaluate it. */
function httpOf({ http }: ServiceConfig, { mounted, lacksNative }: ConfigInput): Pick<ServiceConfig, 'http'> {
  if (!http) return {};
  const { policy, ...rest } = http;
  const index = [...mounted.policies.keys()].indexOf(policy ?? '');
  return { http: index < 0 || lacksNative !== undefined ? rest : { ...rest, policy: policyFile(index) } };
}

const hasCountries = ({ mounted }: ConfigInput): boolean => typeof mounted.database === 'object';

function serviceOf(config: ServiceConfig, index: number, input: ConfigInput): ServiceConfig {
  const { response, proxy_protocol, geo_block } = config;
  return {
    ...config,
    listen: `:${containerPort(index + 1)}`,
    upstream: `127.0.0.1:${firstUpstream + index}`,
    geo_block: hasCountries(input) ? geo_block : noCountries,
    ...httpOf(config, input),
    ...(input.isTest && {
      proxy_protocol: { ...proxy_protocol, accept_from: ['0.0.0.0/0', '::/0'] },
      response: { ...response, tarpit_ms: Math.min(response.tarpit_ms, slowestTarpitMs) },
    }),
  };
}

export function listenersOf(input: ConfigInput): Listeners {
  const { services, port_scan, intake, threatfeed } = input.daemon;
  const enabled = Object.entries(services).filter(([, service]) => service.enabled);
  const all = input.isTest ? [...enabled, [probeService, genericService] as const] : enabled;
  return {
    services: all.map(([name, config], index) => [name, serviceOf(config, index, input)]),
    traps: port_scan.listen.slice(0, mostTraps),
    intakes: intake,
    hasDecisions: threatfeed.enabled,
  };
}

/** Returns the indices of container ports. The API has index 0, the services follow. `count`: number of all ports. */
export function portsOf({ services, traps, intakes, hasDecisions }: Listeners) {
  const trap = (index: number) => 1 + services.length + index;
  const intake = (index: number) => trap(traps.length) + index;
  const decisions = intake(intakes.length);
  return { trap, intake, decisions, count: decisions + Number(hasDecisions) };
}

/** The event file in the container for this source of `intake`. */
export const intakeFile = (index: number): string => `/tmp/intake-${index}.jsonl`;

export function daemonIn(input: ConfigInput, listeners: Listeners): Daemon {
  const { daemon, token, isTest } = input;
  const { global, api, threatfeed, port_scan } = daemon;
  const ports = portsOf(listeners);
  const countries = hasCountries(input);
  return {
    ...daemon,
    global: {
      ...global,
      ...{ log_level: 'info', log_file: '/dev/stdout', data_dir: '/tmp/guard' },
      geoip_db: countries ? `/etc/guard/${databaseFile}` : '',
      geo_block: countries ? global.geo_block : noCountries,
    },
    api: {
      listen: `:${containerPort(0)}`,
      socket: '',
      auth_token: token,
      allowed_hosts: [...new Set([...api.allowed_hosts, 'localhost', '127.0.0.1', '[::1]'])],
    },
    threatfeed: {
      ...threatfeed,
      ...{ push: false, machine_id: '', password: '', api_key: listeners.hasDecisions ? token : '' },
      lapi_url: `http://127.0.0.1:${containerPort(ports.decisions)}`,
      ...(isTest && { update_frequency: pollingInTest }),
    },
    intake: listeners.intakes.map(({ unit, container, ...source }, index) => ({ ...source, file: intakeFile(index) })),
    services: Object.fromEntries(listeners.services),
    port_scan: { ...port_scan, listen: listeners.traps.map((_, index) => `:${containerPort(ports.trap(index))}`) },
  };
}
