/**
 * The program of a worker process, which ends with its parent. It installs signal handlers before it loads other
 * modules.
 */
import type { PlaneName } from '../../plane/choice.ts';
import type { FromWorker, ToWorker } from '../link/messages.ts';

// Ignore signals to the process group: the coordinator handles them and sends orders.
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGUSR1']) process.on(signal, () => {});
process.on('disconnect', () => process.exit(1));

const [{ createLink }, { startServing }, { withPlane }, { endWithParent }] = await Promise.all([
  import('../link/link.ts'),
  import('./worker.ts'),
  import('../../plane/choice.ts'),
  import('../../process/libc/open.ts'),
]);
const [, , workers, name] = process.argv;
const link = createLink<FromWorker>((batch, sent) => process.send?.(batch, undefined, undefined, sent));
const onMessage = withPlane(name as PlaneName, { isWorker: true }, (plane) =>
  startServing(link, { workers: Number(workers) }, plane),
);
endWithParent();
process.on('message', (batch: readonly ToWorker[]) => {
  for (const item of batch) onMessage(item);
});
