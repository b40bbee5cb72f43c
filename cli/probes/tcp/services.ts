/** Probes of the services: relayed traffic, refused clients, and failed logins. */
import { createHash, randomBytes } from 'node:crypto';
import type { Protocol } from '../../../contract/daemon/protocols.ts';
import type { TcpSource } from '../probe.ts';
import type { Client } from './client.ts';
import { conversations, failuresTried, wrongPasswords } from './conversations.ts';
import { badLoginOf, converse, refusalProblem, relayProblem } from './greet.ts';
import { type Lab, type Problem, probe, type TcpProbe, Unsuitable } from './probe.ts';
import { countryProblem, policyProblem, serverNameProblem, tlsVersionProblem } from './protocol-gates.ts';
import type { PublishedService, ServiceConfig } from './published.ts';

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Larger than the usual buffers on the path, so that back-pressure occurs. */
const bulkBytes = 4 * 1024 * 1024;

/** The client ends its side first, and must still receive the remaining bytes. */
async function bulkRelayProblem({ connect, plain, nextAllowedAddress }: Lab): Promise<Problem> {
  const client = connect(plain, nextAllowedAddress(plain));
  const sent = randomBytes(bulkBytes);
  client.send(sent);
  client.finish();
  if (!(await client.ends())) return 'the reply did not end';
  const came = client.received();
  if (came.length !== sent.length) return `${came.length} of ${sent.length} bytes came back`;
  return sha256(came) === sha256(sent) ? undefined : 'the returned bytes differ';
}

async function halfCloseProblem({ connect, plain, nextAllowedAddress }: Lab): Promise<Problem> {
  const client = connect(plain, nextAllowedAddress(plain));
  const problem = await relayProblem(client, plain);
  if (problem !== undefined) return problem;
  client.send(Buffer.from('last words'));
  client.finish();
  await client.ends();
  return String(client.received()).endsWith('last words')
    ? undefined
    : 'the reply after the end of the client side is lost';
}

const prefixProblem = (problem: Problem, what: string): Problem =>
  problem === undefined ? undefined : `${what}: ${problem}`;

async function proxyHeaderProblem({ connect, plain, api }: Lab, version: 'v1' | 'v2', ip: string): Promise<Problem> {
  const client = connect(plain, ip, version);
  const problem = await relayProblem(client, plain);
  if (problem !== undefined) return problem;
  await api.post('/ban', { ip, duration: '1m', reason: 'probe' });
  const isCut = await client.ends();
  await api.post('/unban', { ip });
  return isCut ? undefined : `a ban of ${ip} did not close it`;
}

async function missingHeaderProblem({ connect, plain }: Lab): Promise<Problem> {
  const bare = connect(plain, '');
  bare.send(Buffer.from('no header at all, and longer than the longest one may be'.repeat(4)));
  return (await bare.ends()) && bare.received().length === 0 ? undefined : 'a connection without header was relayed';
}

export const relayProbes: readonly TcpProbe[] = [
  probe('relay:bytes', '4 MiB in both directions, compared by hash', 'the same bytes', bulkRelayProblem),
  probe('relay:half-close', 'a client that ends its side', 'all remaining bytes', halfCloseProblem),
  ...(['v1', 'v2'] as const).map((version) =>
    probe(
      `relay:proxy-${version}`,
      `a client named by a PROXY header, version ${version.slice(1)}`,
      'tcp-guard uses that address',
      (lab) => proxyHeaderProblem(lab, version, lab.nextAllowedAddress(lab.plain)),
    ),
  ),
  probe('relay:no-header', 'a trusted proxy that sends no PROXY header', 'a close', missingHeaderProblem),
];

const mostConnections = 300;

/** A client beyond the rate must be refused. The token bucket refills while the probe connects. */
async function rateLimitProblem({ connect, nextAllowedAddress }: Lab, service: PublishedService): Promise<Problem> {
  const { rate_limit, max_connections_per_ip: most } = service.config;
  if (!rate_limit) throw new Unsuitable('the service has no rate_limit');
  const { burst, connections_per_minute: rate } = rate_limit;
  if (burst > mostConnections || rate > 60 * mostConnections) throw new Unsuitable('the rate is too high for a probe');
  const ip = nextAllowedAddress(service);
  const open: Client[] = [];
  const started = performance.now();
  const allowedByNow = (): number => burst + ((performance.now() - started) / 60_000) * rate;
  for (let count = 1; count <= allowedByNow() + 1; count += 1) {
    const client = connect(service, ip);
    open.push(client);
    const problem = await relayProblem(client, service);
    if (problem === undefined) {
      if (most > 0 && open.length >= most) await closeAll(open);
      continue;
    }
    return count > burst
      ? prefixProblem(await refusalProblem(client, service), 'past the rate')
      : `connection ${count} of ${burst}: ${problem}`;
  }
  return `more than ${Math.floor(allowedByNow())} connections passed`;
}

/**
 * Ends this side of the connections, then waits until tcp-guard ends the other side. A client cannot observe when
 * tcp-guard has processed an immediate close.
 */
async function closeAll(open: Client[]): Promise<void> {
  for (const client of open) client.finish();
  await Promise.all(open.splice(0).map((client) => client.ends()));
}

async function ipFilterProblem({ connect, nextDeniedAddress }: Lab, service: PublishedService): Promise<Problem> {
  const client = connect(service, nextDeniedAddress(service));
  return refusalProblem(client, service);
}

async function connectionLimitProblem(
  { connect, nextAllowedAddress }: Lab,
  service: PublishedService,
): Promise<Problem> {
  const { max_connections_per_ip: most, rate_limit } = service.config;
  if (most === 0) throw new Unsuitable('the service has no max_connections_per_ip');
  if (most > mostConnections || (rate_limit && rate_limit.burst <= most))
    throw new Unsuitable('another limit is reached first');
  const ip = nextAllowedAddress(service);
  for (let count = 1; count <= most; count += 1) {
    const problem = await relayProblem(connect(service, ip), service);
    if (problem !== undefined) return `connection ${count} of ${most}: ${problem}`;
  }
  return prefixProblem(await refusalProblem(connect(service, ip), service), 'one more than the limit');
}

function failuresOf(lab: Lab, config: ServiceConfig): number {
  const count = config.ban_after_failures ?? lab.daemon.global.ban_after_failures;
  if (count === 0) throw new Unsuitable('the service never bans on failures');
  if (count > failuresTried || (config.rate_limit && config.rate_limit.burst <= count))
    throw new Unsuitable('a client is throttled before it reaches the limit of failures');
  return count;
}

async function loginBanProblem(lab: Lab, service: PublishedService): Promise<Problem> {
  const { config } = service;
  if (!conversations[config.protocol].badLogin)
    throw new Unsuitable('the protocol shows no failed login in plain text');
  if (config.smtp?.require_starttls) throw new Unsuitable('there is no login before STARTTLS');
  const count = failuresOf(lab, config);
  const ip = lab.nextAllowedAddress(service);
  for (let failure = 1; failure <= count; failure += 1) {
    const client = lab.connect(service, ip);
    const badLogin = badLoginOf(service, wrongPasswords[failure - 1] ?? '') ?? [];
    const problem = await converse(client, config.protocol, badLogin);
    // The ban can close the connection of the last failure before its reply arrives.
    if (problem !== undefined && failure < count) return `login ${failure} of ${count}: ${problem}`;
    client.close();
  }
  const problem = prefixProblem(await refusalProblem(lab.connect(service, ip), service), `after ${count} failures`);
  const { status, body } = await lab.api.post('/unban', { ip });
  if (problem !== undefined) return problem;
  if (status !== 200) return `it was not banned: ${status} ${body}`;
  return prefixProblem(await relayProblem(lab.connect(service, ip), service), 'after the end of the ban');
}

type Run = (lab: Lab, service: PublishedService) => Promise<Problem>;
type Row = readonly [id: `${TcpSource}:${string}`, description: string, expected: string, run: Run, only?: Protocol];

const greetingProblem: Run = ({ connect, nextAllowedAddress }, service) =>
  relayProblem(connect(service, nextAllowedAddress(service)), service);
const noByteText = 'no byte of the backend';
const handshakeText = 'no byte, then a handshake';
const oldVersionsText = 'handshakes with each version that is too old, and with the oldest allowed one';
const untilLiftedText = 'a ban at the limit of failures, and access after it is lifted';

/** Probes of every service except the plain one. `only` limits a probe to a protocol. */
const rows: readonly Row[] = [
  ['relay:hello', 'an allowed client', 'the reply of the backend, byte for byte', greetingProblem],
  ['gate:ip-filter', 'a client that the filters refuse', noByteText, ipFilterProblem],
  ['gate:country', 'a client from a refused country', noByteText, countryProblem],
  ['gate:sni', 'handshakes for refused names and for one allowed name', handshakeText, serverNameProblem, 'tls'],
  ['gate:tls-version', oldVersionsText, handshakeText, tlsVersionProblem, 'tls'],
  [
    'gate:policy',
    'a request that the policy blocks, and one that it allows',
    'no byte, then the reply of the backend',
    policyProblem,
    'http',
  ],
  [
    'gate:rate',
    'a client that exceeds the connection rate',
    'the burst passes, the next one does not',
    rateLimitProblem,
  ],
  [
    'gate:connections',
    'a client with too many connections at once',
    'connections up to the limit',
    connectionLimitProblem,
  ],
  ['login:guessing', 'a client whose logins fail', untilLiftedText, loginBanProblem],
];

export const serviceProbes = (services: readonly PublishedService[]): TcpProbe[] =>
  rows.flatMap(([id, description, expected, run, only]) => {
    const matchingServices = services.filter(({ config }) => only === undefined || only === config.protocol);
    return matchingServices.map((service) =>
      probe(`${id}:${service.name}`, `${service.name}: ${description}`, expected, (lab) => run(lab, service)),
    );
  });
