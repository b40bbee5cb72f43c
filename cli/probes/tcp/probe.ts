/** A probe of tcp-guard: an action and a check of its outcome. */
import type { Daemon } from '../../../contract/daemon/schema.ts';
import type { TcpSource } from '../probe.ts';
import type { Api } from './api.ts';
import type { Client } from './client.ts';
import type { HeaderVersion } from './proxy-header.ts';
import type { PublishedService } from './published.ts';

/** The parts of a running sandbox that probes use. */
export interface Lab {
  readonly api: Api;
  readonly daemon: Daemon;
  readonly services: readonly PublishedService[];
  /** The service that relays without checks. Every sandbox has one. */
  readonly plain: PublishedService;
  /** Connects as a client of this address. The connection closes after the probe at the latest. */
  readonly connect: (service: PublishedService, ip: string, version?: HeaderVersion) => Client;
  /** An unused address that the service allows. @throws Unsuitable */
  readonly nextAllowedAddress: (service: PublishedService) => string;
  readonly nextDeniedAddress: (service: PublishedService) => string;
  readonly nextGeoBlockedAddress: (service: PublishedService) => string;
  /** Connects without a PROXY header and sends these bytes first. */
  readonly dial: (port: number, first?: string) => Client;
  /** The address of this machine in the container, if it is known. */
  readonly peer: string | undefined;
  /** A reply, ban or event that takes longer counts as missing. */
  readonly patienceMs: number;
}

/** Thrown by a probe that would prove nothing with this configuration. */
export class Unsuitable extends Error {}

/** Difference from the expected outcome. Undefined when there is none. */
export type Problem = string | undefined;

export interface TcpProbe {
  readonly id: string;
  readonly source: TcpSource;
  readonly description: string;
  readonly expected: string;
  readonly run: (lab: Lab) => Promise<Problem>;
}

/** The id begins with the source, such as `ban:expiry`. */
export function probe(
  id: `${TcpSource}:${string}`,
  description: string,
  expected: string,
  run: TcpProbe['run'],
): TcpProbe {
  return { id, source: id.slice(0, id.indexOf(':')) as TcpSource, description, expected, run };
}
