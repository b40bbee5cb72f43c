/** State that all sessions of a process share. Each process that serves connections creates one. */

import type { KeyObject } from 'node:crypto';
import type { Client } from '../address/client.ts';
import type { Admission } from '../admission/admission.ts';
import type { Recorder } from '../admission/recorder.ts';
import type { Audit } from '../audit/event.ts';
import type { Failure } from '../failures/tracker.ts';
import type { DataPorts } from '../ftp-data/data-ports.ts';
import type { Places } from '../logins/places.ts';
import type { Connection } from '../plane/plane.ts';
import type { Connector } from './connecting.ts';
import type { EndedMemory } from './ended-memory.ts';
import type { HeldBytes } from './held-bytes.ts';
import type { StalledBytes } from './stalled-bytes.ts';
import type { Tarpit } from './tarpit.ts';

export interface SharedContext {
  readonly admission: Admission;
  readonly tarpit: Tarpit;
  readonly endedMemory: Pick<EndedMemory, 'opened' | 'ended'>;
  readonly heldBytes: HeldBytes;
  readonly stalledBytes: StalledBytes;
  /** Reports a failed login: it lowers the client's connection rate and counts toward a ban. */
  readonly failed: (client: Client, failure: Failure) => void;
  readonly places: Places;
  readonly audit: Pick<Audit, 'fault'>;
  readonly record: Recorder;
  /** The key of fingerprints of passwords, the same in all workers. It exists only in memory. */
  readonly fingerprintKey: () => KeyObject | undefined;
}

export interface SessionContext<C extends Connection> extends SharedContext, Connector<C> {
  readonly dataPorts: Pick<DataPorts<C>, 'open'>;
}
