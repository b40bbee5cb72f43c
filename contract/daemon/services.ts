/** A service of tcp-guard.yaml: a port that is listened on, inspected and relayed. */
import * as z from 'zod';
import { formed } from '../fields.ts';
import * as fields from './fields.ts';
import { protocolBlocks, protocols } from './protocols.ts';

const rateLimit = () =>
  z.strictObject({
    connections_per_minute: fields.perMinute().describe('New connections of one address (IPv6: of one /64).'),
    burst: z.int().min(1).max(10_000).default(10).describe('How many of them at once.'),
  });

const proxyProtocol = () =>
  z.strictObject({
    accept_from: fields.networks().default([]).describe('Sources whose PROXY header is believed, and then required.'),
    send: z.enum(['off', 'v1', 'v2']).default('off').describe('PROXY header sent to the upstream.'),
  });

const response = () =>
  z.strictObject({
    mode: z
      .enum(['drop', 'reject', 'tarpit'])
      .default('drop')
      .describe('drop closes without a byte, reject resets, tarpit sends a byte every tarpit_ms.'),
    tarpit_ms: z.int().min(10).max(30_000).default(1000).describe('Time between two bytes of tarpit, milliseconds.'),
  });

const timeouts = () =>
  z.strictObject({
    connect: fields.duration('100ms', '1m').default('5s').describe('For the connection to the upstream.'),
    first_byte: fields.duration('100ms', '5m').default('10s').describe('For what the inspector has to see.'),
    idle: fields.duration('1s', '7d').default('10m').describe('Without a byte in either direction.'),
    total: fields.duration('0s', '365d').default('0s').describe('For the whole connection; 0s: no limit.'),
  });

export const service = () =>
  z.strictObject({
    enabled: z.boolean().default(true).describe('Whether it is listened on.'),
    listen: fields.listen().describe('Where it listens; port 0 takes a free one.'),
    upstream: fields.upstream().describe('Where connections are relayed to.'),
    protocol: z.enum(protocols).default('generic').describe('The inspector; generic relays without looking.'),
    rate_limit: rateLimit().optional().describe('Token bucket per address; default: none.'),
    max_connections_per_ip: fields
      .connectionsPerIp()
      .default(0)
      .describe('Connections at once per address; 0: no limit.'),
    ban_after_failures: fields.failures().optional().describe('Failures here that ban; default: as in global.'),
    ban_duration: fields
      .banDuration()
      .optional()
      .describe('How long a first ban from here lasts; default: as in global.'),
    ip_filter: fields.ipFilter().prefault({}).describe('Who may connect, after the global list.'),
    geo_block: fields.geoBlock().prefault({}).describe('From which countries, after the global list.'),
    proxy_protocol: proxyProtocol().prefault({}).describe("The client's address across other proxies."),
    response: response().prefault({}).describe('How a refused connection is ended.'),
    timeouts: timeouts().prefault({}).describe('When a connection is given up.'),
    ...protocolBlocks(),
  });

/** Names stand in paths of the API, in file names and in labels of metrics. */
const serviceName = formed(/^[a-z][a-z0-9_-]{0,62}$/, 'a service name: lower-case letters, digits, - and _', 63);

export const servicesSection = () => z.record(serviceName, service());
