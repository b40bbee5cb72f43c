import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { freePort, freeRow, listenError, reservePort } from './free-ports.ts';

test('no two processes get the same port, although no program listens on it yet', {
  skip: process.platform !== 'linux' && 'only Linux has names that end with a process',
}, async (t) => {
  const module = pathToFileURL(`${import.meta.dirname}/free-ports.${import.meta.filename.split('.').at(-1)}`).href;
  const script = `const { freePort } = await import(${JSON.stringify(module)});
    console.log(await freePort());
    setInterval(() => {}, 60_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [port] = await once(child.stdout.setEncoding('utf8'), 'data');
  assert.equal(await listenError(Number(port)), undefined);
  assert.equal(await reservePort(Number(port)), false);
});

test('no port is given twice, alone or in a row', async () => {
  const first = await freeRow(8);
  const row = Array.from({ length: 8 }, (_, index) => first + index);
  for (const port of [...row, await freePort()]) assert.equal(await reservePort(port), false);
});
