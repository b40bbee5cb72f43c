import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

const module = new URL('./relay-worker.ts', import.meta.url).href;

const script = `
  const { openSync } = await import('node:fs');
  const { RelayWorker } = await import(${JSON.stringify(module)});
  try {
    for (;;) openSync('/dev/null');
  } catch {}
  const events = { onRequest() {}, onReport() {}, onExit: (how) => console.log(how) };
  const result = await new RelayWorker(1, events).order({ kind: 'settle' });
  console.log(result);
`;

test('a worker that cannot be started for want of descriptors has ended, and its orders are settled', () => {
  const limited = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', script];
  const printed = execFileSync('sh', limited, { encoding: 'utf8' });
  assert.match(printed, /^spawn .* EMFILE\nundefined\n$/);
});
