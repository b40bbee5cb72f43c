/** A service of tcp-guard.yaml: a port that is listened on, inspected and relayed. */
import * as z from 'zod/mini';
import { formed } from '../schema/fields.ts';
import { defaulted, integer, nested, optional, required } from '../schema/kinds.ts';
import * as fields from './fields.ts';
import { protocolBlocks, protocols } from './protocols.ts';

const rateLimit = () =>
  z.strictObject({
    connections_per_minute: required(fields.perMinute(), 'New connections of one address (IPv6: of one /64).'),
    burst: defaulted(integer(1, 10_000), 10, 'How many of them at once.'),
  });

const sends = ['off', 'v1', 'v2'] as const;
const proxyProtocol = () =>
  z.strictObject({
    accept_from: defaulted(fields.networks(), [], 'Sources whose PROXY header is believed, and then required.'),
    send: defaulted(z.enum(sends), 'off', 'PROXY header sent to the upstream.'),
  });

const endings = ['drop', 'reject', 'tarpit'] as const;
const response = () =>
  z.strictObject({
    mode: defaulted(
      z.enum(endings),
      'drop',
      'drop closes without a byte, reject resets, tarpit sends a byte every tarpit_ms.',
    ),
    tarpit_ms: defaulted(integer(10, 30_000), 1000, 'Time between two bytes of tarpit, milliseconds.'),
  });

const timeouts = () =>
  z.strictObject({
    connect: defaulted(fields.duration('100ms', '1m'), '5s', 'For the connection to the upstream.'),
    first_byte: defaulted(fields.duration('100ms', '5m'), '10s', 'For what the inspector has to see.'),
    idle: defaulted(fields.duration('1s', '7d'), '10m', 'Without a byte in either direction.'),
    total: defaulted(fields.duration('0s', '365d'), '0s', 'For the whole connection; 0s: no limit.'),
  });

const service = () =>
  z.strictObject({
    enabled: defaulted(z.boolean(), true, 'Whether it is listened on.'),
    listen: required(fields.listen(), 'Where it listens; port 0 takes a free one.'),
    upstream: required(fields.upstream(), 'Where connections are relayed to.'),
    protocol: defaulted(z.enum(protocols), 'generic', 'The inspector; generic relays without looking.'),
    rate_limit: optional(rateLimit(), 'Token bucket per address; default: none.'),
    max_connections_per_ip: defaulted(fields.connectionsPerIp(), 0, 'Connections at once per address; 0: no limit.'),
    ban_after_failures: optional(fields.failures(0), 'Failures here that ban; default: as in global.'),
    ban_duration: optional(fields.banDuration(), 'How long a first ban from here lasts; default: as in global.'),
    ip_filter: nested(fields.ipFilter(), 'Who may connect, after the global list.'),
    geo_block: nested(fields.geoBlock(), 'From which countries, after the global list.'),
    proxy_protocol: nested(proxyProtocol(), "The client's address across other proxies."),
    response: nested(response(), 'How a refused connection is ended.'),
    timeouts: nested(timeouts(), 'When a connection is given up.'),
    ...protocolBlocks(),
  });

/** Names appear in paths of the API, in file names and in labels of metrics. */
const nameForm = /^[a-z][a-z0-9_-]{0,62}$/;

export const servicesSection = () => {
  const name = formed(nameForm, 'a service name: lower-case letters, digits, - and _', 63);
  return z.record(name, service());
};
