/** The ban store as the rest of the daemon sees it: orders to its thread, one at a time. */
import { Worker } from 'node:worker_threads';
import { programFile } from '../process/program-file.ts';
import { recordsOf } from './batch.ts';
import type { Change } from './file.ts';
import type { BanRecord } from './records.ts';
import type { Order, Report } from './worker.ts';

export type StoreOutcome =
  | { readonly ok: true }
  /**
   * Nothing of the order was done. `aside`: the store was damaged, was set aside under this name (null: nothing was left of
   * it), and is empty now; `kept`: rows of it that could still be read, and were told.
   */
  | { readonly ok: false; readonly message: string; readonly aside?: string | null; readonly kept?: number };

/** Is told of records, and of how many rows were none. */
export type TakeRecords = (records: Iterable<BanRecord>, unreadable: number) => void;

export interface Store {
  /** Reads every row; `take` is told what can be read of a damaged store, perhaps twice. */
  readonly load: (take: TakeRecords) => Promise<StoreOutcome>;
  /** On the disk when it resolves with ok. Without changes it only checks that the store is there. */
  readonly write: (changes: readonly Change[]) => Promise<StoreOutcome>;
  readonly close: () => Promise<void>;
}

/** A thread, and the order it is at. */
interface Thread {
  readonly worker: Worker;
  answer: ((report: Report) => void) | undefined;
}

function start(path: string, gone: () => void): Thread {
  const worker = new Worker(programFile(import.meta.url, './worker', 'ban-store'), { workerData: { path } });
  const thread: Thread = { worker, answer: undefined };
  worker.unref(); // it has nothing to do on its own
  worker.on('message', (report: Report) => thread.answer?.(report));
  worker.on('error', (error: Error) => thread.answer?.({ kind: 'failed', message: error.message }));
  worker.on('exit', () => {
    gone();
    thread.answer?.({ kind: 'failed', message: 'its thread has ended' });
  });
  return thread;
}

/** `path`: of the database. Orders must not overlap. */
export function openStore(path: string): Store {
  let thread: Thread | undefined;

  const order = (what: Order, take?: TakeRecords): Promise<StoreOutcome> => {
    thread ??= start(path, () => {
      thread = undefined;
    });
    const current = thread;
    return new Promise((resolve) => {
      const answer = (report: Report) => {
        if (report.kind === 'some') return take?.(recordsOf(report.batch), report.batch.unreadable);
        current.answer = undefined;
        current.worker.unref();
        if (report.kind === 'done') return resolve({ ok: true });
        const { kind: _, ...failure } = report;
        resolve({ ok: false, ...failure });
      };
      current.answer = answer;
      current.worker.ref();
      current.worker.postMessage(what);
    });
  };

  return {
    load: (take) => order({ kind: 'load' }, take),
    write: (changes) => order({ kind: 'write', changes }),
    close: async () => {
      if (thread) await order({ kind: 'close' });
      await thread?.worker.terminate();
    },
  };
}
