/** A probe of tcp-guard: what is done, and what is wrong with what came of it. */
import type { Daemon } from '../../../contract/daemon/schema.ts';
import type { PublishedService } from '../../sandbox/targets/tcp-guard.ts';
import type { TcpSource } from '../probe.ts';
import type { Api } from './api.ts';
import type { Client } from './client.ts';
import type { HeaderVersion } from './proxy-header.ts';

/** What a running sandbox offers to a probe. */
export interface Lab {
  readonly api: Api;
  readonly daemon: Daemon;
  readonly services: readonly PublishedService[];
  /** The service that relays without looking, which every suite has. */
  readonly plain: PublishedService;
  /** Connects as a client of this address. It is closed behind the probe at the latest. */
  readonly connect: (service: PublishedService, ip: string, version?: HeaderVersion) => Client;
  /** An address of the probe's own that the service lets in. @throws Unsuitable */
  readonly welcome: (service: PublishedService) => string;
  readonly unwelcome: (service: PublishedService) => string;
  readonly foreign: (service: PublishedService) => string;
  /** Connects to a port of this machine as it is, and says this first. */
  readonly dial: (port: number, first?: string) => Client;
  /** The address of this machine in the container; absent: unknown. */
  readonly peer: string | undefined;
  /** Past this a reply, a ban or an event that is due counts as missing. */
  readonly patienceMs: number;
}

/** What a probe throws that would prove nothing with this configuration. */
export class Unsuitable extends Error {}

/** What is wrong, in words; nothing: it is as it must be. */
export type Outcome = string | undefined;

export interface TcpProbe {
  readonly id: string;
  readonly source: TcpSource;
  readonly description: string;
  /** What must come of it, in words. */
  readonly expected: string;
  readonly run: (lab: Lab) => Promise<Outcome>;
}
