/** A service of tcp-guard.yaml. */
import * as z from 'zod/mini';
import { formed } from '../schema/fields.ts';
import { defaulted, integer, nested, optional, required } from '../schema/kinds.ts';
import * as fields from './fields.ts';
import { protocolBlocks, protocols } from './protocols.ts';

const rateLimit = () =>
  z.strictObject({
    connections_per_minute: required(fields.perMinute(), 'New connections of one address (IPv6: of one /64).'),
    burst: defaulted(integer(1, 10_000), 10, 'Connections at once before the rate applies.'),
  });

const sentProxyVersions = ['off', 'v1', 'v2'] as const;
const proxyProtocol = () =>
  z.strictObject({
    accept_from: defaulted(
      fields.networks(),
      [],
      'Trusted proxies: their PROXY header is required and gives the client address.',
    ),
    send: defaulted(z.enum(sentProxyVersions), 'off', 'Version of the PROXY header that is sent to the upstream.'),
  });

const refusalModes = ['drop', 'reject', 'tarpit'] as const;
const response = () =>
  z.strictObject({
    mode: defaulted(
      z.enum(refusalModes),
      'drop',
      'How a refused connection ends: drop closes it, reject resets it, tarpit sends a byte every tarpit_ms.',
    ),
    tarpit_ms: defaulted(integer(10, 30_000), 1000, 'Milliseconds between two bytes of a tarpit.'),
  });

const timeouts = () =>
  z.strictObject({
    connect: defaulted(fields.duration('100ms', '1m'), '5s', 'Time to connect to the upstream.'),
    first_byte: defaulted(fields.duration('100ms', '5m'), '10s', 'Time for the first bytes of the client.'),
    idle: defaulted(fields.duration('1s', '7d'), '10m', 'Time without a byte in either direction.'),
    total: defaulted(fields.duration('0s', '365d'), '0s', 'Time of the whole connection; 0s: no limit.'),
  });

const service = () =>
  z.strictObject({
    enabled: defaulted(z.boolean(), true, 'Whether tcp-guard listens for the service.'),
    listen: required(fields.listen(), 'Address to listen on; port 0: a free port.', ':2222'),
    upstream: required(
      fields.upstream(),
      'Address or Unix socket of the server that connections are relayed to: `host:port` or `unix:/path`.',
      '127.0.0.1:22',
    ),
    protocol: defaulted(
      z.enum(protocols),
      'generic',
      'Inspector of the connections; generic relays without inspection.',
    ),
    rate_limit: optional(rateLimit(), 'Token bucket for each address; absent: no limit.'),
    max_connections: defaulted(
      fields.connectionsPerIp(),
      0,
      'Open connections of the service; 0: three quarters of global.max_connections, or all of them when it is the only service.',
    ),
    max_connections_per_ip: defaulted(
      fields.connectionsPerIp(),
      0,
      'Open connections of one address (IPv6: of one /64); 0: no limit.',
    ),
    ban_after_failures: optional(
      fields.failures(0),
      'Failures at this service that ban an address; absent: the value in global.',
    ),
    ban_duration: optional(
      fields.banDuration(),
      'How long a first ban of this service lasts; absent: the value in global.',
    ),
    ip_filter: nested(fields.ipFilter(), 'Addresses that may connect; checked after the global list.'),
    geo_block: nested(fields.geoBlock(), 'Countries that may connect; checked after the global list.'),
    proxy_protocol: nested(proxyProtocol(), 'PROXY protocol, which carries the client address across proxies.'),
    response: nested(response(), 'How refused connections are ended.'),
    timeouts: nested(timeouts(), 'Time limits of a connection.'),
    ...protocolBlocks(),
  });

/** Form of the name of a service. Names are part of API paths, file names and metric labels. */
const nameForm = /^[a-z][a-z0-9_-]{0,62}$/;

export const servicesSection = () => {
  const name = formed(nameForm, 'a service name: lower-case letters, digits, - and _', 63);
  return z.record(name, service());
};
