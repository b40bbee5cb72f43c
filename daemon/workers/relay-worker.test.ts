import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { extname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const file = join(import.meta.dirname, `relay-worker${extname(import.meta.filename)}`);
const module = pathToFileURL(file).href;

const script = `
  const { openSync } = await import('node:fs');
  const { RelayWorker } = await import(${JSON.stringify(module)});
  try {
    for (;;) openSync('/dev/null');
  } catch {}
  const events = { onRequest() {}, onReport() {}, onExit: (how) => console.log(how) };
  const result = await new RelayWorker({ workers: 1, plane: 'net', kernelBans: 'off' }, events).order({ kind: 'settle' });
  console.log(result);
`;

test('a worker that cannot be started for want of descriptors has ended, and its orders are settled', () => {
  const limited = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', script];
  const printed = execFileSync('sh', limited, { encoding: 'utf8' });
  assert.match(printed, /^spawn .* EMFILE\nundefined\n$/);
});
