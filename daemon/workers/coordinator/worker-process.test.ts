import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { extname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { WorkerProcess } from './worker-process.ts';

const file = join(import.meta.dirname, `worker-process${extname(import.meta.filename)}`);
const module = pathToFileURL(file).href;

const script = `
  const { openSync } = await import('node:fs');
  const { WorkerProcess } = await import(${JSON.stringify(module)});
  try {
    for (;;) openSync('/dev/null');
  } catch {}
  const events = { onRequest() {}, onReport() {}, onExit: (how) => console.log(how) };
  const result = await new WorkerProcess({ workers: 1, plane: 'net' }, events).order({ kind: 'settle' });
  console.log(result);
`;

test('a worker that cannot be started for want of descriptors has ended, and its orders are settled', () => {
  const limited = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', script];
  const printed = execFileSync('sh', limited, { encoding: 'utf8' });
  assert.match(printed, /^spawn .* EMFILE\nundefined\n$/);
});

test('a response that waits while the coordinator is paused is read before its worker is killed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const ends: string[] = [];
  const onExit = (how: string) => void ends.push(how);
  const events = { onRequest: () => {}, onReport: () => {}, onExit };
  const worker = new WorkerProcess({ workers: 1, plane: 'net' }, events);
  const result = worker.order({ kind: 'settle' });
  t.mock.timers.tick(daemonBounds.workerAnswerMs);
  const resumed = performance.now() + daemonBounds.workerAnswerMs;
  assert.equal(worker.isOverdue(resumed), true);
  worker.restart(resumed);
  assert.equal(worker.isOverdue(resumed + daemonBounds.workerAnswerMs - 1), false);
  assert.deepEqual(await result, []);
  assert.equal(worker.isOverdue(resumed + daemonBounds.workerAnswerMs), false);
  await worker.close();
  assert.deepEqual(ends, ['status 1'], 'it was not killed');
});
