/** The thread that reads and writes the ban store, so that connections do not wait for the disk. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { BanBackup } from './backup.ts';
import { type Batch, BatchWriter, buffersOf } from './batch.ts';
import { BanFile, type Change, isDamage } from './file.ts';
import { lastDamaged, StoreFiles, setAside } from './store-files.ts';

export type StoreOutcome =
  /**
   * `isOldStoreGone`: the damaged store that was renamed no longer exists. `backupProblem`: why there is no newer
   * backup.
   */
  | { readonly ok: true; readonly isOldStoreGone?: boolean; readonly backupProblem?: string | undefined }
  /**
   * The order failed. `oldStoreName` is set when the store was damaged: the file name of the old store, or null when no
   * file exists. Rows of the backup were sent as batches.
   */
  | { readonly ok: false; readonly message: string; readonly oldStoreName?: string | null };

export interface Write {
  readonly changes: readonly Change[];
  /** Changed addresses whose rows in the backup must not be restored: see `BanBackup`. */
  readonly lifted: readonly string[];
  /** Whether the store has every ban after this write. */
  readonly isWhole: boolean;
}

export type Order =
  /** Opens the store if necessary. */
  { readonly kind: 'load' } | ({ readonly kind: 'write' } & Write) | { readonly kind: 'close' };

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

const onStep = (): void => postReport({ kind: 'step' });

const storeFiles = new StoreFiles(path);
const backup = new BanBackup(path, onStep);
let banFile: BanFile | undefined;
/** The path of the damaged store that was renamed last. */
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
  banFile ??= new BanFile(path, storeFiles, onStep);
  return banFile;
}

const doneOutcome = (): StoreOutcome => ({
  ok: true,
  isOldStoreGone: damagedStore !== undefined && !existsSync(damagedStore),
  backupProblem: backup.problem,
});

/** Sends the rows of the backup. The caller has to write every ban into the new store. */
function restored(message: string): StoreOutcome {
  const oldStoreName = damagedStore === undefined ? null : basename(damagedStore);
  return { ok: false, message: `${message}; ${backup.restore(sendRows)}`, oldStoreName };
}

/** A store that is not whole is new, was removed, or was being filled when its daemon was killed. */
function loadStore(): StoreOutcome {
  const file = openStore();
  const sent = sendRows(file.rows());
  if (file.isWhole) return doneOutcome();
  damagedStore = lastDamaged(path);
  const isNew = sent === 0 && damagedStore === undefined && backup.madeAt === undefined;
  if (!isNew) return restored('it was missing or incomplete');
  file.apply([], true);
  return doneOutcome();
}

function writeChanges({ changes, lifted, isWhole }: Write): StoreOutcome {
  const file = openStore();
  backup.checkSuspect(file);
  backup.recordLifts(lifted);
  file.apply(changes, isWhole);
  if (changes.length > 0) backup.noteChange();
  return doneOutcome();
}

function closeStore(): void {
  banFile?.close();
  banFile = undefined;
}

/** Renames the store before it is closed. Closing deletes the log by its name, which must not belong to a new store. */
function replaceStore(): void {
  try {
    damagedStore = setAside(path, Date.now());
    storeFiles.forget();
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
    replaceStore();
    if (kind === 'load') return restored(message);
    // A write needs no backup: every ban is in memory since the load.
    return { ok: false, message, oldStoreName: damagedStore === undefined ? null : basename(damagedStore) };
  } catch (second) {
    return { ok: false, message: `${message}; ${(second as Error).message}` };
  }
}

async function executeOrder(order: Order): Promise<StoreOutcome> {
  if (order.kind === 'load') return loadStore();
  if (order.kind === 'write') return writeChanges(order);
  await backup.finish(banFile);
  closeStore();
  return doneOutcome();
}

async function handle(order: Order): Promise<void> {
  try {
    postReport({ kind: 'done', outcome: await executeOrder(order) });
  } catch (error) {
    await backup.abandon();
    postReport({ kind: 'done', outcome: recoverFrom(error, order) });
  }
  if (order.kind === 'close') parentPort?.close();
  else await backup.startIfDue(banFile);
}

let handled = Promise.resolve();
parentPort?.on('message', (order: Order) => {
  handled = handled.then(() => handle(order));
});
postReport({ kind: 'up' });
