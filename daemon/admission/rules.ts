/** The configuration in the form that gates and services use: parsed once, read for each connection. */

import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Address } from '../../contract/values/address.ts';
import { parseDuration } from '../../contract/values/duration.ts';
import { type Endpoint, parseListen, parseUpstream, type Upstream } from '../../contract/values/endpoint.ts';
import { type Ports, parsePorts } from '../../contract/values/ports.ts';
import type { Guard } from '../../engine/index.ts';
import { createNetworkSet, type NetworkSet } from '../address/network-set.ts';
import { waitingProtocols } from '../inspectors/index.ts';
import type { ServiceConfig } from '../inspectors/inspector.ts';

interface IpFilter {
  readonly admits: (address: Address) => boolean;
}

export interface PassiveRules {
  /** The IPv4 address in replies to the client. Undefined: the local address of the control connection. */
  readonly address: string | undefined;
  readonly ports: Ports;
}

export interface ServiceRules {
  readonly name: string;
  readonly config: ServiceConfig;
  readonly listen: Endpoint;
  readonly upstream: Upstream;
  readonly ipFilter: IpFilter;
  readonly acceptProxyFrom: NetworkSet;
  readonly maxConnections: number;
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
  /**
   * Whether new connections of a client with failed logins are limited: where failures ban, and logins do not wait for
   * their outcome, which limits those of the client in place of its connections.
   */
  readonly limitsFailing: boolean;
  /** The largest number of logins of a failing client that are judged at a time. Infinity when failures do not ban. */
  readonly mostJudgedLogins: number;
  readonly guard: Guard | undefined;
  readonly passive: PassiveRules | undefined;
}

export interface Rules {
  readonly config: Daemon;
  readonly maxConnections: number;
  readonly ipFilter: IpFilter;
  readonly neverBan: NetworkSet;
  readonly failureWindowMs: number;
  readonly services: ReadonlyMap<string, ServiceRules>;
}

export interface Surroundings {
  readonly ownAddresses: readonly string[];
  readonly connectionCeiling: number;
  /** The policies of http services, by their path in the configuration. */
  readonly guards: ReadonlyMap<string, Guard>;
}

/** Returns the value, which the schema guarantees to exist. */
function requireDefined<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('the configuration was not validated');
  return value;
}

const parseMs = (duration: string): number => requireDefined(parseDuration(duration));

const admitsAll: IpFilter = { admits: () => true };

/** An entry of `deny` wins over `allow`. A non-empty `allow` admits only its entries. */
function compileIpFilter({ allow, deny }: Daemon['global']['ip_filter']): IpFilter {
  if (allow.length === 0 && deny.length === 0) return admitsAll;
  const [allowed, denied] = [createNetworkSet(allow), createNetworkSet(deny)];
  return { admits: (address) => !denied.has(address) && (allowed.isEmpty || allowed.has(address)) };
}

function compilePassiveRules({ ftp }: ServiceConfig): PassiveRules | undefined {
  const passive = ftp?.passive;
  return passive && { address: passive.address, ports: requireDefined(parsePorts(passive.ports)) };
}

function compileServiceRules(
  name: string,
  config: ServiceConfig,
  { global }: Daemon,
  guards: Surroundings['guards'],
  share: number,
): ServiceRules {
  const { timeouts } = config;
  const banAfter = config.ban_after_failures ?? global.ban_after_failures;
  return {
    name,
    config,
    listen: requireDefined(parseListen(config.listen)),
    upstream: requireDefined(parseUpstream(config.upstream)),
    ipFilter: compileIpFilter(config.ip_filter),
    acceptProxyFrom: createNetworkSet(config.proxy_protocol.accept_from),
    maxConnections: config.max_connections || share,
    connectMs: parseMs(timeouts.connect),
    firstByteMs: parseMs(timeouts.first_byte),
    idleMs: parseMs(timeouts.idle),
    totalMs: parseMs(timeouts.total),
    limitsFailing: banAfter > 0 && !waitingProtocols.has(config.protocol),
    mostJudgedLogins: banAfter > 0 ? banAfter + daemonBounds.spareJudgedLogins : Number.POSITIVE_INFINITY,
    guard: config.http?.policy === undefined ? undefined : guards.get(config.http.policy),
    passive: compilePassiveRules(config),
  };
}

export function compileRules(config: Daemon, { ownAddresses, connectionCeiling, guards }: Surroundings): Rules {
  const { global, services } = config;
  const enabled = Object.entries(services).filter(([, service]) => service.enabled);
  const maxConnections = Math.min(global.max_connections, connectionCeiling);
  const share = enabled.length > 1 ? Math.ceil(maxConnections * daemonBounds.serviceShare) : maxConnections;
  return {
    config,
    maxConnections,
    ipFilter: compileIpFilter(global.ip_filter),
    neverBan: createNetworkSet([...global.never_ban, ...ownAddresses]),
    failureWindowMs: parseMs(global.failure_window),
    services: new Map(
      enabled.map(([name, service]) => [name, compileServiceRules(name, service, config, guards, share)]),
    ),
  };
}
