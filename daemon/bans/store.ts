/** The daemon's side of the ban store. Sends orders to its thread, one at a time. */
import { Worker } from 'node:worker_threads';
import { programUrl } from '../process/program-file.ts';
import { recordsOf, type StoredBan } from './batch.ts';
import type { Order, Report, StoreOutcome, Write } from './worker.ts';

/** `unreadable`: the number of rows that could not be read. */
type OnRecords = (records: Iterable<StoredBan>, unreadable: number) => void;

/** Called when the disk has responded, but the order is not finished. */
type OnStep = () => void;

export interface Store {
  /** Resolves when the thread runs or has failed. After a failure, the next order starts another thread. */
  readonly started: () => Promise<void>;
  /** Reads every row, and those of the backup when the store is damaged: a row can be passed to `onRecords` twice. */
  readonly load: (onRecords: OnRecords, onStep: OnStep) => Promise<StoreOutcome>;
  /** Resolves when the changes are on disk. Without changes it only checks the store. */
  readonly write: (what: Write, onStep: OnStep) => Promise<StoreOutcome>;
  /** Makes a last backup and closes the files. */
  readonly close: (onStep: OnStep) => Promise<void>;
}

/** Thrown when the stored bans cannot be read and `bans.on_error` is `refuse`. */
export class UnreadableStore extends Error {
  /** Whether the store was closed: see `Bans.close`. */
  readonly isClosed: boolean;

  constructor(path: string, failure: string | undefined, isClosed: boolean) {
    super(
      `cannot read the ban store ${path}: ${failure}. ` +
        'Set global.data_dir to a folder that this user can write to, stop another tcp-guard that uses it, or set bans.on_error to serve',
    );
    this.isClosed = isClosed;
  }
}

interface Thread {
  readonly worker: Worker;
  readonly isUp: Promise<void>;
  answer: ((report: Exclude<Report, { kind: 'up' }>) => void) | undefined;
}

function startThread(path: string, gone: () => void): Thread {
  const worker = new Worker(programUrl(import.meta.url, './worker', 'ban-store'), { workerData: { path } });
  const { promise: isUp, resolve } = Promise.withResolvers<void>();
  const thread: Thread = { worker, isUp, answer: undefined };
  worker.unref(); // an idle thread must not keep the process alive
  worker.on('message', (report: Report) => (report.kind === 'up' ? resolve() : thread.answer?.(report)));
  const fail = (message: string) => thread.answer?.({ kind: 'done', outcome: { ok: false, message } });
  worker.on('error', (error: Error) => fail(error.message));
  worker.on('exit', () => {
    gone();
    resolve();
    fail('the thread of the store has ended');
  });
  return thread;
}

/** Orders must not overlap. `path`: the database. */
export function openStore(path: string): Store {
  let thread: Thread | undefined;

  const running = (): Thread => {
    thread ??= startThread(path, () => {
      thread = undefined;
    });
    return thread;
  };

  const order = (what: Order, onStep?: OnStep, onRecords?: OnRecords): Promise<StoreOutcome> => {
    const current = running();
    return new Promise((resolve) => {
      current.answer = (report) => {
        if (report.kind === 'step') return onStep?.();
        if (report.kind === 'some') return onRecords?.(recordsOf(report.batch), report.batch.unreadable);
        current.answer = undefined;
        current.worker.unref();
        resolve(report.outcome);
      };
      current.worker.ref();
      current.worker.postMessage(what);
    });
  };

  return {
    started: async () => {
      const { worker, isUp } = running();
      worker.ref();
      await isUp;
    },
    load: (onRecords, onStep) => order({ kind: 'load' }, onStep, onRecords),
    write: (what, onStep) => order({ kind: 'write', ...what }, onStep),
    close: async (onStep) => {
      if (thread) await order({ kind: 'close' }, onStep);
      await thread?.worker.terminate();
    },
  };
}
