/** The daemon's side of the ban store. Sends orders to its thread, one at a time. */
import { Worker } from 'node:worker_threads';
import { programUrl } from '../process/program-file.ts';
import { recordsOf } from './batch.ts';
import type { Change } from './file.ts';
import type { BanRecord } from './records.ts';
import type { Order, Report, StoreOutcome } from './worker.ts';

/** `unreadable`: the number of rows that could not be read. */
type OnRecords = (records: Iterable<BanRecord>, unreadable: number) => void;

/** Called when the disk has responded, but the order is not finished. */
type OnStep = () => void;

export interface Store {
  /** Resolves when the thread runs or has failed. After a failure, the next order starts another thread. */
  readonly started: () => Promise<void>;
  /** Reads every row. A recovered row can be passed to `onRecords` twice. */
  readonly load: (onRecords: OnRecords, onStep: OnStep) => Promise<StoreOutcome>;
  /**
   * Resolves when the changes are on disk. Without changes it only checks the store. `isWhole`: after this write the
   * store has every ban, so damaged stores are not read again.
   */
  readonly write: (changes: readonly Change[], isWhole: boolean, onStep: OnStep) => Promise<StoreOutcome>;
  readonly close: () => Promise<void>;
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
    write: (changes, isWhole, onStep) => order({ kind: 'write', changes, isWhole }, onStep),
    close: async () => {
      if (thread) await order({ kind: 'close' });
      await thread?.worker.terminate();
    },
  };
}
