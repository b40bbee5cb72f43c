import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname, join } from 'node:path';
import { describe, it } from 'node:test';
import { dataFolder, scratchBans } from './testing/scratch.ts';

const child = join(import.meta.dirname, `testing/kill-child${extname(import.meta.filename)}`);

/** Kills the child `delayMs` after it has acknowledged this many bans. Returns the acknowledged addresses. */
async function killAfter(promises: number, delayMs: number, dataDir: string): Promise<string[]> {
  const running = spawn(process.execPath, [child, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  running.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.split('\n').length <= promises) return;
    if (delayMs === 0) running.kill('SIGKILL');
    else setTimeout(() => running.kill('SIGKILL'), delayMs);
  });
  await once(running, 'close');
  return output.split('\n').slice(0, -1);
}

describe('ban store: kill', () => {
  // A delay of 0 detects a ban that is acknowledged before it is written; the others interrupt transactions.
  for (const delayMs of [0, 0, 0, 0, 2, 5, 8])
    it(`keeps every acknowledged ban when killed ${delayMs} ms after one`, async (test) => {
      const dataDir = dataFolder();
      const promised = await killAfter(Math.floor(Math.random() * 900), delayMs, dataDir);
      const { bans } = await scratchBans(test, { dataDir, clock: Date.now() });
      assert.deepEqual(bans.problems(), []);
      assert.ok(promised.length > 0);
      for (const ip of promised) assert.ok(bans.covering(ip), `${ip} of ${promised.length}`);
    });
});
