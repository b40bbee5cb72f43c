/** What every connection is handled with. Built once in each process that serves connections. */

import type { Client } from '../address/client.ts';
import type { Admission } from '../admission/admission.ts';
import type { Recorder } from '../admission/recorder.ts';
import type { Audit } from '../audit/event.ts';
import type { Failure } from '../failures/tracker.ts';
import type { DataPlane } from '../plane/plane.ts';
import type { Tarpit } from './tarpit.ts';

export interface SessionContext {
  readonly plane: DataPlane;
  readonly admission: Admission;
  readonly tarpit: Tarpit;
  /** A login has failed: it slows its client down, and counts for a ban. */
  readonly failed: (client: Client, failure: Failure) => void;
  readonly audit: Pick<Audit, 'fault'>;
  readonly record: Recorder;
}
