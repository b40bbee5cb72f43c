/**
 * The program of a worker; tcp-guard starts it. It ends with the process that started it. Signals are caught before the rest
 * is loaded.
 */
import type { FromWorker, ToWorker } from './messages.ts';

// Signals to the whole group are for the first process, which tells its workers what to do.
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGUSR1']) process.on(signal, () => {});
process.on('disconnect', () => process.exit(1));

const [{ createLink }, { startServing }] = await Promise.all([import('./link.ts'), import('./serving.ts')]);
const link = createLink<FromWorker>((batch, sent) => process.send?.(batch, undefined, undefined, sent));
const take = startServing(link, Number(process.argv[2]));
process.on('message', (batch: readonly ToWorker[]) => {
  for (const item of batch) take(item);
});
