/** The configuration of the daemon in the container: the user's, with addresses and paths of the container. */
import type { Daemon } from '../../../contract/daemon/schema.ts';
import type { MountedFiles } from '../plan/mounted-files.ts';
import { containerPort } from '../plan/plan.ts';

export type ServiceConfig = Daemon['services'][string];

/** The service for relay probes, because the user's file may have none. */
export const probeService = 'sandbox-probe';

/** Port of the backend of the first service. The others follow. */
const firstUpstream = 9100;

/** Upper limit for the tarpit delay, so that a suite does not take minutes. */
export const slowestTarpitMs = 200;

/** Limit of trap ports, because each one takes a port of this machine. */
export const mostTraps = 8;

/** Poll interval in a suite, which waits for decisions. */
export const pollingInTest = '1s';

export const database = 'geoip.mmdb';

export const policyFile = (index: number): string => `policy-${index}.json`;

export interface ConfigInput {
  readonly daemon: Daemon;
  readonly mounted: MountedFiles;
  /** Why the container cannot evaluate policies. Undefined: it can. */
  readonly lacksNative?: string | undefined;
  readonly token: string;
  /** Trusts a PROXY header from every address. */
  readonly isTest: boolean;
}

/** The listeners of the container after the API, in the order of its ports. */
export interface Places {
  readonly services: readonly (readonly [name: string, config: ServiceConfig])[];
  /** As in the user's file. */
  readonly traps: readonly string[];
  readonly intakes: Daemon['intake'];
  readonly hasDecisions: boolean;
}

const generic: ServiceConfig = {
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

const nowhere = { allow_countries: [], deny_countries: [] };

/** The path of the policy in the container. Absent: the container cannot evaluate it. */
function httpOf({ http }: ServiceConfig, { mounted, lacksNative }: ConfigInput): Pick<ServiceConfig, 'http'> {
  if (!http) return {};
  const { policy, ...rest } = http;
  const index = [...mounted.policies.keys()].indexOf(policy ?? '');
  return { http: index < 0 || lacksNative !== undefined ? rest : { ...rest, policy: policyFile(index) } };
}

const knowsCountries = ({ mounted }: ConfigInput): boolean => typeof mounted.database === 'object';

function serviceOf(config: ServiceConfig, index: number, input: ConfigInput): ServiceConfig {
  const { response, proxy_protocol, geo_block } = config;
  return {
    ...config,
    listen: `:${containerPort(index + 1)}`,
    upstream: `127.0.0.1:${firstUpstream + index}`,
    geo_block: knowsCountries(input) ? geo_block : nowhere,
    ...httpOf(config, input),
    ...(input.isTest && {
      proxy_protocol: { ...proxy_protocol, accept_from: ['0.0.0.0/0', '::/0'] },
      response: { ...response, tarpit_ms: Math.min(response.tarpit_ms, slowestTarpitMs) },
    }),
  };
}

export function placesOf(input: ConfigInput): Places {
  const { services, port_scan, intake, threatfeed } = input.daemon;
  const own = Object.entries(services).filter(([, { enabled }]) => enabled);
  const all = input.isTest ? [...own, [probeService, generic] as const] : own;
  return {
    services: all.map(([name, config], index) => [name, serviceOf(config, index, input)]),
    traps: port_scan.listen.slice(0, mostTraps),
    intakes: intake,
    hasDecisions: threatfeed.enabled,
  };
}

/** Indexes of container ports by kind. */
export function portsOf({ services, traps, intakes, hasDecisions }: Places) {
  const trap = (index: number) => 1 + services.length + index;
  const intake = (index: number) => trap(traps.length) + index;
  const decisions = intake(intakes.length);
  return { trap, intake, decisions, count: decisions + Number(hasDecisions) };
}

/** An event file in the container. */
export const intakeFile = (index: number): string => `/tmp/intake-${index}.jsonl`;

export function daemonIn(input: ConfigInput, places: Places): Daemon {
  const { daemon, token, isTest } = input;
  const { global, api, threatfeed, port_scan } = daemon;
  const ports = portsOf(places);
  const countries = knowsCountries(input);
  return {
    ...daemon,
    global: {
      ...global,
      ...{ log_level: 'info', log_file: '/dev/stdout', data_dir: '/tmp/guard' },
      geoip_db: countries ? `/etc/guard/${database}` : '',
      geo_block: countries ? global.geo_block : nowhere,
    },
    api: {
      listen: `:${containerPort(0)}`,
      socket: '',
      auth_token: token,
      allowed_hosts: [...new Set([...api.allowed_hosts, 'localhost', '127.0.0.1', '[::1]'])],
    },
    threatfeed: {
      ...threatfeed,
      ...{ push: false, machine_id: '', password: '', api_key: places.hasDecisions ? token : '' },
      lapi_url: `http://127.0.0.1:${containerPort(ports.decisions)}`,
      ...(isTest && { update_frequency: pollingInTest }),
    },
    intake: places.intakes.map((source, index) => ({ ...source, file: intakeFile(index) })),
    services: Object.fromEntries(places.services),
    port_scan: { ...port_scan, listen: places.traps.map((_, index) => `:${containerPort(ports.trap(index))}`) },
  };
}
