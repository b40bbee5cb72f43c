/** The thread that reads and writes the ban store, so that connections do not wait for the disk. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { type Batch, BatchWriter, buffersOf } from './batch.ts';
import { keep, keptName, setAside, unreadStores } from './damaged.ts';
import { BanFile, type Change, isDamage } from './file.ts';
import { recoveredRows } from './recovery.ts';
import { StoreFiles } from './store-files.ts';

export type Order =
  /** Opens the store if necessary, and reads it. */
  | { readonly kind: 'load' }
  /** `isWhole`: after this write the store has every ban. */
  | { readonly kind: 'write'; readonly changes: readonly Change[]; readonly isWhole: boolean }
  | { readonly kind: 'close' };

export type Report =
  /** The thread runs and accepts orders. */
  | { readonly kind: 'up' }
  /** The disk has responded, but the load or write is not finished. */
  | { readonly kind: 'step' }
  /** A batch of records. More reports follow. */
  | { readonly kind: 'some'; readonly batch: Batch }
  /** `isAsideGone`: the damaged store that was renamed no longer exists. */
  | { readonly kind: 'done'; readonly isAsideGone: boolean }
  /**
   * `aside`: the name under which the damaged store is kept, or null when no file exists; a new store replaces it.
   * `kept`: recovered rows.
   */
  | { readonly kind: 'failed'; readonly message: string; readonly aside?: string | null; readonly kept?: number };

const rowsAtOnce = 5000;
const { path } = workerData as { path: string };
const report = (message: Report, memory: ArrayBuffer[] = []): void => parentPort?.postMessage(message, memory);

const files = new StoreFiles(path);
let file: BanFile | undefined;
/** The current path of the damaged store that was renamed last. */
let damaged: string | undefined;

/** Sends rows in batches. Returns the number of records. */
function send(rows: Iterable<readonly unknown[]>): number {
  let sent = 0;
  let writer = new BatchWriter(rowsAtOnce);
  const sendBatch = (batch: Batch) => {
    sent += batch.count;
    report({ kind: 'some', batch }, buffersOf(batch));
  };
  for (const row of rows) {
    writer.add(row);
    if (!writer.isFull()) continue;
    sendBatch(writer.batch());
    writer = new BatchWriter(rowsAtOnce);
  }
  sendBatch(writer.batch());
  return sent;
}

function openStore(): BanFile {
  file ??= new BanFile(path, files, () => report({ kind: 'step' }));
  return file;
}

/** Sends the rows of damaged stores. Returns the number of records. */
const recoverUnread = (): number => unreadStores(path).reduce((sum, store) => sum + send(recoveredRows(store)), 0);

const done = (): Report => ({ kind: 'done', isAsideGone: damaged !== undefined && !existsSync(damaged) });

function load(): Report {
  damaged = unreadStores(path).at(-1);
  send(openStore().rows());
  if (damaged === undefined) return done();
  const message = 'the recovery of a damaged store was interrupted';
  return { kind: 'failed', message, aside: basename(keptName(damaged)), kept: recoverUnread() };
}

function write(changes: readonly Change[], isWhole: boolean): Report {
  openStore().apply(changes);
  if (isWhole) for (const store of unreadStores(path)) damaged = keep(store);
  return done();
}

function close(): void {
  file?.close();
  file = undefined;
}

/** Renames the store, then closes it. Closing deletes the log by name: that name must not belong to a new store. */
function replace(): string | undefined {
  try {
    damaged = setAside(path, Date.now());
    files.forget();
    return damaged;
  } finally {
    close();
  }
}

/** Cleans up after an error: the store is closed, and damaged files are renamed. */
function recover(error: unknown, { kind }: Order): Report {
  const message = (error as Error).message;
  try {
    if (!isDamage(error)) {
      close();
      return { kind: 'failed', message };
    }
    const aside = replace();
    const failure = { kind: 'failed', message, aside: aside === undefined ? null : basename(keptName(aside)) } as const;
    // After the first load, memory has every ban.
    return kind === 'load' ? { ...failure, kept: recoverUnread() } : failure;
  } catch (second) {
    return { kind: 'failed', message: `${message}; ${(second as Error).message}` };
  }
}

function execute(order: Order): Report {
  if (order.kind === 'load') return load();
  if (order.kind === 'write') return write(order.changes, order.isWhole);
  close();
  return done();
}

parentPort?.on('message', (order: Order) => {
  try {
    report(execute(order));
  } catch (error) {
    report(recover(error, order));
  }
  if (order.kind === 'close') parentPort?.close();
});
report({ kind: 'up' });
