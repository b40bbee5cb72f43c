/** Collects the audit records of a worker until they are sent. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { nothingMoved, type Recorder } from '../../admission/recorder.ts';
import { type Link, laterMs } from '../link/link.ts';
import type { FromWorker } from '../link/messages.ts';
import { pack, type RecordsMessage, recordCountOf } from '../link/records.ts';

/** The largest number of records in a message: about 80 KB, so that the coordinator reads it within a millisecond. */
const mostAtOnce = 1000;

export class RecordQueue {
  readonly #link: Pick<Link<FromWorker>, 'postLater' | 'size'>;
  readonly #now: () => number;
  /** The message that is not sent yet and gets further records. */
  #open: RecordsMessage | undefined;
  #waitingCount = 0;
  /** The number of records that were dropped, because too many wait. */
  droppedCount = 0;

  constructor(link: Pick<Link<FromWorker>, 'postLater' | 'size'>, now: () => number) {
    this.#link = link;
    this.#now = now;
  }

  readonly record: Recorder = (service, client, action, reason, details = nothingMoved) => {
    if (this.#link.size() + this.#waitingCount >= daemonBounds.workerMessages) {
      this.droppedCount += 1;
      return;
    }
    const now = this.#now();
    this.#open ??= this.#begin(now);
    pack(this.#open, now, service, client, action, reason, details);
    this.#waitingCount += 1;
    if (recordCountOf(this.#open) >= mostAtOnce) this.#open = undefined;
  };

  #begin(now: number): RecordsMessage {
    const message: RecordsMessage = { kind: 'records', since: now, values: [] };
    this.#link.postLater(() => {
      if (this.#open === message) this.#open = undefined;
      this.#waitingCount -= recordCountOf(message);
      return message;
    }, laterMs.record);
    return message;
  }
}
