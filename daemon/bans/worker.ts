/** The thread of the ban store: waiting for the disk must not keep connections waiting. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Batch, BatchWriter, memoryOf } from './batch.ts';
import { BanFile, type Change, isDamage, setAside } from './file.ts';

export type Order =
  /** Opens the store where it is not open and reads it. */
  | { readonly kind: 'load' }
  | { readonly kind: 'write'; readonly changes: readonly Change[] }
  | { readonly kind: 'close' };

export type Report =
  /** Some records; more reports follow. */
  | { readonly kind: 'some'; readonly batch: Batch }
  | { readonly kind: 'done' }
  /** `aside`: the store was damaged and now has this name; a new one takes its place. */
  | { readonly kind: 'failed'; readonly message: string; readonly aside?: string };

const rowsAtOnce = 5000;
const { path } = workerData as { path: string };
const report = (message: Report, memory: ArrayBuffer[] = []): void => parentPort?.postMessage(message, memory);

let file: BanFile | undefined;

function load(): void {
  file ??= new BanFile(path);
  let writer = new BatchWriter(rowsAtOnce);
  const send = (batch: Batch) => report({ kind: 'some', batch }, memoryOf(batch));
  for (const row of file.rows()) {
    writer.add(row);
    if (!writer.isFull()) continue;
    send(writer.batch());
    writer = new BatchWriter(rowsAtOnce);
  }
  send(writer.batch());
}

function write(changes: readonly Change[]): void {
  file ??= new BanFile(path);
  file.apply(changes);
}

function close(): void {
  file?.close();
  file = undefined;
}

/** What is left of the store after an error: nothing that is open, and no damaged file in the way. */
function recover(error: unknown): Report {
  const message = (error as Error).message;
  try {
    close();
    return isDamage(error)
      ? { kind: 'failed', message, aside: setAside(path, Date.now()) }
      : { kind: 'failed', message };
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
    report({ kind: 'done' });
  } catch (error) {
    report(recover(error));
  }
  if (order.kind === 'close') parentPort?.close();
});
