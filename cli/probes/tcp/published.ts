/** The daemon of a sandbox with its ports on this machine. */
import type { Daemon } from '../../../contract/daemon/schema.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import type { CountryOf } from '../../../daemon/geo/database.ts';

export type ServiceConfig = Daemon['services'][string];

/** The service for relay probes, because the user's file may have none. */
export const probeService = 'sandbox-probe';

export interface PublishedService {
  readonly name: string;
  readonly config: ServiceConfig;
  readonly hostPort: number;
  /** The policy for requests of this service. */
  readonly policy?: Policy;
}

/** A trap port. `listen` is the address in the user's configuration. */
export interface PublishedTrap {
  readonly listen: string;
  readonly hostPort: number;
}

/** An event file that the daemon follows. A listener on `hostPort` appends the lines that it receives to the file. */
export interface PublishedIntake {
  readonly source: Daemon['intake'][number];
  readonly hostPort: number;
}

export interface PublishedDaemon {
  readonly services: readonly PublishedService[];
  readonly traps: readonly PublishedTrap[];
  readonly intakes: readonly PublishedIntake[];
  /** Port of the decision service. */
  readonly decisions?: number;
  /** The configuration in the container. */
  readonly daemon: Daemon;
  /** Absent when the container has no database of countries. */
  readonly countryOf?: CountryOf;
}
