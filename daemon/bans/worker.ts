/** The thread that reads and writes the ban store, so that connections do not wait for the disk. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { type Batch, BatchWriter, buffersOf } from './batch.ts';
import { keptName, markRecovered, setAside, unreadStores } from './damaged.ts';
import { BanFile, type Change, isDamage } from './file.ts';
import { recoveredRows } from './recovery.ts';
import { StoreFiles } from './store-files.ts';

export type StoreOutcome =
  /** `isOldStoreGone`: the damaged store that was renamed no longer exists. */
  | { readonly ok: true; readonly isOldStoreGone?: boolean }
  /**
   * The order failed. `oldStoreName` is set when the store was damaged: the file name of the old store after its
   * recovery, or null when no file exists. `recoveredCount`: the number of rows that were recovered and sent as
   * batches.
   */
  | {
      readonly ok: false;
      readonly message: string;
      readonly oldStoreName?: string | null;
      readonly recoveredCount?: number;
    };

export type Order =
  /** Opens the store if necessary. */
  | { readonly kind: 'load' }
  /** `isWhole`: after this write the store has every ban. */
  | { readonly kind: 'write'; readonly changes: readonly Change[]; readonly isWhole: boolean }
  | { readonly kind: 'close' };

export type Report =
  /** The thread accepts orders. */
  | { readonly kind: 'up' }
  /** The disk has responded, but the order is not finished. */
  | { readonly kind: 'step' }
  /** A batch of records. More reports follow. */
  | { readonly kind: 'some'; readonly batch: Batch }
  | { readonly kind: 'done'; readonly outcome: StoreOutcome };

const rowsAtOnce = 5000;
const { path } = workerData as { path: string };
const postReport = (message: Report, memory: ArrayBuffer[] = []): void => parentPort?.postMessage(message, memory);

const storeFiles = new StoreFiles(path);
let banFile: BanFile | undefined;
/** The current path of the damaged store that was renamed last. */
let damagedStore: string | undefined;

function sendRows(rows: Iterable<readonly unknown[]>): number {
  let sent = 0;
  let writer = new BatchWriter(rowsAtOnce);
  const sendBatch = (batch: Batch) => {
    sent += batch.count;
    postReport({ kind: 'some', batch }, buffersOf(batch));
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
  banFile ??= new BanFile(path, storeFiles, () => postReport({ kind: 'step' }));
  return banFile;
}

const recoverUnread = (): number => unreadStores(path).reduce((sum, store) => sum + sendRows(recoveredRows(store)), 0);

const doneOutcome = (): StoreOutcome => ({
  ok: true,
  isOldStoreGone: damagedStore !== undefined && !existsSync(damagedStore),
});

function loadStore(): StoreOutcome {
  damagedStore = unreadStores(path).at(-1);
  sendRows(openStore().rows());
  if (damagedStore === undefined) return doneOutcome();
  const message = 'the recovery of a damaged store was interrupted';
  return { ok: false, message, oldStoreName: basename(keptName(damagedStore)), recoveredCount: recoverUnread() };
}

function writeChanges(changes: readonly Change[], isWhole: boolean): StoreOutcome {
  openStore().apply(changes);
  if (isWhole) for (const store of unreadStores(path)) damagedStore = markRecovered(store);
  return doneOutcome();
}

function closeStore(): void {
  banFile?.close();
  banFile = undefined;
}

/** Renames the store before it is closed. Closing deletes the log by its name, which must not belong to a new store. */
function replaceStore(): string | undefined {
  try {
    damagedStore = setAside(path, Date.now());
    storeFiles.forget();
    return damagedStore;
  } finally {
    closeStore();
  }
}

function recoverFrom(error: unknown, { kind }: Order): StoreOutcome {
  const message = (error as Error).message;
  try {
    if (!isDamage(error)) {
      closeStore();
      return { ok: false, message };
    }
    const asidePath = replaceStore();
    const oldStoreName = asidePath === undefined ? null : basename(keptName(asidePath));
    const failure = { ok: false, message, oldStoreName } as const;
    // A write needs no recovery: every ban is in memory since the load.
    return kind === 'load' ? { ...failure, recoveredCount: recoverUnread() } : failure;
  } catch (second) {
    return { ok: false, message: `${message}; ${(second as Error).message}` };
  }
}

function executeOrder(order: Order): StoreOutcome {
  if (order.kind === 'load') return loadStore();
  if (order.kind === 'write') return writeChanges(order.changes, order.isWhole);
  closeStore();
  return doneOutcome();
}

parentPort?.on('message', (order: Order) => {
  try {
    postReport({ kind: 'done', outcome: executeOrder(order) });
  } catch (error) {
    postReport({ kind: 'done', outcome: recoverFrom(error, order) });
  }
  if (order.kind === 'close') parentPort?.close();
});
postReport({ kind: 'up' });
