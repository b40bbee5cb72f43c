/** The conformance tests that every data plane must pass. */
import type { Connection } from '../../plane.ts';
import { churnTests } from './churn.ts';
import { endTests } from './ends.ts';
import { exhaustionTests } from './exhaustion.ts';
import { firstByteTests } from './first-bytes.ts';
import { flowTests } from './flow.ts';
import { holdingTests } from './holding.ts';
import { inspectionTests } from './inspection.ts';
import { listeningNowTests } from './listening-now.ts';
import { lossTests } from './losses.ts';
import { openingTests } from './opening.ts';
import { replacingTests } from './replacing.ts';
import type { Subject } from './rig.ts';
import { stallTests } from './stalls.ts';
import { urgentTests } from './urgent.ts';

export function conformanceTests<C extends Connection>(subject: Subject<C>): void {
  openingTests(subject);
  listeningNowTests(subject);
  firstByteTests(subject);
  endTests(subject);
  lossTests(subject);
  flowTests(subject);
  inspectionTests(subject);
  holdingTests(subject);
  replacingTests(subject);
  stallTests(subject);
  exhaustionTests(subject);
  urgentTests(subject);
  churnTests(subject.create, 500);
}
