/** A file of `data_dir` that is written until the disk accepts it. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { readReason } from '../../platform/regular-file.ts';
import { doubled } from '../time/pause.ts';
import { after, inTime } from '../time/timer.ts';
import { type Complain, createComplainer } from './complainer.ts';

const { diskMs, diskRetryMs } = daemonBounds;

interface StoredFileOptions {
  /** Writes the current state. Rejects when the disk refuses it. Never called twice at a time. */
  readonly write: () => Promise<unknown>;
  /** What a problem says before its reason. */
  readonly problem: string;
  readonly log: (message: string) => void;
}

export class StoredFile {
  readonly #options: StoredFileOptions;
  readonly #complain: Complain;
  /** Whether the file lacks a change. */
  #isBehind = false;
  /** The write that was requested last. `#isDue` is true until it begins. */
  #last: Promise<void> = Promise.resolve();
  #isDue = false;
  #failures = 0;
  /** Cancels the next attempt after a failure. */
  #cancelRetry: (() => void) | undefined;
  #isClosed = false;

  constructor(options: StoredFileOptions) {
    this.#options = options;
    this.#complain = createComplainer(options.log);
  }

  /** For /health. */
  readonly problems = (): readonly string[] => this.#complain.problems();

  /** Requests a write. After a failure it waits for the next attempt, because many changes can come meanwhile. */
  save(): void {
    this.#isBehind = true;
    this.#isClosed = false;
    if (!this.#cancelRetry) this.#request();
  }

  /** Requests a write without waiting for the next attempt. */
  saveNow(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.save();
  }

  /** Resolves with whether the requested writes are on disk: false when it refused them or does not respond in time. */
  untilSaved(): Promise<boolean> {
    const isSaved = this.#last.then(() => !this.#isBehind);
    return inTime(isSaved, diskMs, () => {
      this.#report('the disk does not respond');
      return false;
    });
  }

  /** Resolves after a last attempt to write a file that is behind. Nothing is written until the next request. */
  async close(): Promise<void> {
    if (this.#isBehind) this.saveNow();
    this.#isClosed = true;
    await this.untilSaved();
  }

  #request(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#last = this.#last.then(() => this.#attempt());
  }

  async #attempt(): Promise<void> {
    this.#isDue = false;
    if (this.#cancelRetry) return;
    this.#isBehind = false;
    try {
      await this.#options.write();
      this.#failures = 0;
      this.#complain('');
    } catch (error) {
      this.#isBehind = true;
      this.#report(readReason(error));
      this.#retryLater();
    }
  }

  #retryLater(): void {
    if (this.#isClosed) return;
    this.#failures += 1;
    const ms = doubled(this.#failures, diskRetryMs.first, diskRetryMs.most);
    this.#cancelRetry = after(ms, () => this.saveNow());
  }

  #report(reason: string): void {
    this.#complain(`${this.#options.problem}: ${reason}`);
  }
}
