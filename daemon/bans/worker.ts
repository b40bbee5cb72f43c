/** The thread of the ban store, so that connections do not wait for the disk. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { type Batch, BatchWriter, memoryOf } from './batch.ts';
import { BanFile, type Change, isDamage, setAside } from './file.ts';
import { recoveredRows } from './recovery.ts';
import { StoreFiles } from './store-files.ts';

export type Order =
  /** Opens the store if necessary, and reads it. */
  | { readonly kind: 'load' }
  | { readonly kind: 'write'; readonly changes: readonly Change[] }
  | { readonly kind: 'close' };

export type Report =
  /** The thread runs, and takes orders. */
  | { readonly kind: 'up' }
  /** The disk has responded. More reports follow. */
  | { readonly kind: 'step' }
  /** Some records. More reports follow. */
  | { readonly kind: 'some'; readonly batch: Batch }
  /** `isAsideGone`: the damaged store that was renamed does not exist any more. */
  | { readonly kind: 'done'; readonly isAsideGone: boolean }
  /** `aside`: the damaged store was renamed to this; null: no file was left. A new one replaces it. `kept`: recovered rows. */
  | { readonly kind: 'failed'; readonly message: string; readonly aside?: string | null; readonly kept?: number };

const rowsAtOnce = 5000;
const { path } = workerData as { path: string };
const report = (message: Report, memory: ArrayBuffer[] = []): void => parentPort?.postMessage(message, memory);

const files = new StoreFiles(path);
let file: BanFile | undefined;
/** The last damaged store that was renamed. */
let damaged: string | undefined;

/** Sends rows in batches. Returns how many are records. */
function send(rows: Iterable<readonly unknown[]>): number {
  let sent = 0;
  let writer = new BatchWriter(rowsAtOnce);
  const sendBatch = (batch: Batch) => {
    sent += batch.count;
    report({ kind: 'some', batch }, memoryOf(batch));
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

function opened(): BanFile {
  file ??= new BanFile(path, files, () => report({ kind: 'step' }));
  return file;
}

function load(): void {
  send(opened().rows());
}

function write(changes: readonly Change[]): void {
  opened().apply(changes);
}

function close(): void {
  file?.close();
  file = undefined;
}

/** Renames the store, then closes it: closing deletes the log by name, which could be another file's. */
function replace(): string | undefined {
  try {
    damaged = setAside(path, Date.now());
    files.forget();
    return damaged;
  } finally {
    close();
  }
}

/** After an error, leaves no store open and no damaged file in place. */
function recover(error: unknown, { kind }: Order): Report {
  const message = (error as Error).message;
  try {
    if (!isDamage(error)) {
      close();
      return { kind: 'failed', message };
    }
    const aside = replace();
    if (aside === undefined) return { kind: 'failed', message, aside: null };
    const named = { kind: 'failed', message, aside: basename(aside) } as const;
    return kind === 'load' ? { ...named, kept: send(recoveredRows(aside)) } : named; // later, memory has all of them
  } catch (second) {
    return { kind: 'failed', message: `${message}; ${(second as Error).message}` };
  }
}

function obey(order: Order): void {
  if (order.kind === 'load') load();
  else if (order.kind === 'write') write(order.changes);
  else close();
}

parentPort?.on('message', (order: Order) => {
  try {
    obey(order);
    report({ kind: 'done', isAsideGone: damaged !== undefined && !existsSync(damaged) });
  } catch (error) {
    report(recover(error, order));
  }
  if (order.kind === 'close') parentPort?.close();
});
report({ kind: 'up' });
