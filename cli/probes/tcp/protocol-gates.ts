/** Probes of refusals that depend on the bytes or the origin of a client. */
import type { ConnectionOptions } from 'node:tls';
import { conversations } from './conversations.ts';
import { clientHello, handshakeOf, httpTurn, nameFor, refusalProblem, relayProblem, tlsProblem } from './greet.ts';
import { targetsOf } from './http-targets.ts';
import { type Lab, type Problem, Unsuitable } from './probe.ts';
import type { PublishedService, ServiceConfig } from './published.ts';

type Options = NonNullable<ServiceConfig['tls']>;

function optionsOf({ config }: PublishedService): Options {
  if (config.protocol !== 'tls' || !config.tls) throw new Unsuitable('the service has no handshake rules');
  return config.tls;
}

const helloRefusalProblem = async (
  lab: Lab,
  service: PublishedService,
  options: ConnectionOptions,
): Promise<Problem> => {
  const client = lab.connect(service, lab.nextAllowedAddress(service));
  return refusalProblem(client, service, [{ send: await clientHello(options) }]);
};

const unlistedName = 'probe.invalid';

export async function serverNameProblem(lab: Lab, service: PublishedService): Promise<Problem> {
  const { allow_sni, deny_sni } = optionsOf(service);
  if (allow_sni.length + deny_sni.length === 0) throw new Unsuitable('the service allows every name');
  const denied = deny_sni.length > 0 ? [nameFor(deny_sni, unlistedName)] : [];
  for (const servername of [...denied, ...(allow_sni.length > 0 ? [unlistedName] : [])]) {
    const problem = await helloRefusalProblem(lab, service, { servername });
    if (problem !== undefined) return `${servername}: ${problem}`;
  }
  return relayProblem(lab.connect(service, lab.nextAllowedAddress(service)), service);
}

const versions = ['1.0', '1.1', '1.2', '1.3'] as const;
const nodeVersions = { '1.0': 'TLSv1', '1.1': 'TLSv1.1', '1.2': 'TLSv1.2', '1.3': 'TLSv1.3' } as const;

/** Options for a handshake with one version of TLS. Old versions need ciphers that are off by default. */
const onlyVersion = (version: (typeof versions)[number]): ConnectionOptions => ({
  minVersion: nodeVersions[version],
  maxVersion: nodeVersions[version],
  ...(version < '1.2' && { ciphers: 'DEFAULT:@SECLEVEL=0' }),
});

export async function tlsVersionProblem(lab: Lab, service: PublishedService): Promise<Problem> {
  const { min_version } = optionsOf(service);
  if (min_version === undefined || min_version === '1.0') throw new Unsuitable('the service allows every version');
  const handshake = handshakeOf(service.config);
  for (const version of versions.slice(0, versions.indexOf(min_version))) {
    const problem = await helloRefusalProblem(lab, service, { ...handshake, ...onlyVersion(version) });
    if (problem !== undefined) return `${version}: ${problem}`;
  }
  const client = lab.connect(service, lab.nextAllowedAddress(service));
  const problem = await tlsProblem(client, { ...handshake, ...onlyVersion(min_version) });
  return problem === undefined ? undefined : `${min_version}: ${problem}`;
}

export async function policyProblem(lab: Lab, service: PublishedService): Promise<Problem> {
  const { config, policy } = service;
  if (!policy) throw new Unsuitable('the service has no policy');
  if (policy.mode !== 'enforce' || !policy.enabled) throw new Unsuitable('the policy blocks nothing');
  const { blocked } = targetsOf(policy, nameFor(config.http?.allow_hosts, 'probe.example'));
  const [turn] = conversations.http.hello ?? [];
  if (blocked === undefined || !turn) throw new Unsuitable('the policy blocks none of the known requests');
  const client = lab.connect(service, lab.nextAllowedAddress(service));
  const problem = await refusalProblem(client, service, [httpTurn(service, turn, blocked)]);
  if (problem !== undefined) return `${blocked}: ${problem}`;
  return relayProblem(lab.connect(service, lab.nextAllowedAddress(service)), service);
}

export async function countryProblem(
  { connect, nextGeoBlockedAddress }: Lab,
  service: PublishedService,
): Promise<Problem> {
  const ip = nextGeoBlockedAddress(service);
  const problem = await refusalProblem(connect(service, ip), service);
  return problem === undefined ? undefined : `${ip}: ${problem}`;
}
