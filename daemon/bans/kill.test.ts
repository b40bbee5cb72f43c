import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname, join } from 'node:path';
import { describe, it } from 'node:test';
import { scratchBans, scratchFolder } from './scratch.ts';

const child = join(import.meta.dirname, `kill-child${extname(import.meta.filename)}`);

/** Kills the child soon after it has promised so many bans, anywhere in a transaction; those it had promised. */
async function killAfter(promises: number, dataDir: string): Promise<string[]> {
  const running = spawn(process.execPath, [child, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  running.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.split('\n').length > promises) setTimeout(() => running.kill('SIGKILL'), Math.random() * 15);
  });
  await once(running, 'close');
  return output.split('\n').slice(0, -1);
}

describe('ban store: kill', { timeout: 120_000 }, () => {
  for (let round = 0; round < 6; round++)
    it(`keeps every ban that was promised, round ${round + 1}`, async (test) => {
      const dataDir = scratchFolder(test);
      const promised = await killAfter(Math.floor(Math.random() * 900), dataDir);
      const { bans } = await scratchBans(test, { dataDir, clock: Date.now() });
      assert.deepEqual(bans.problems(), []);
      assert.ok(promised.length > 0);
      for (const ip of promised) assert.ok(bans.covering(ip), `${ip} of ${promised.length}`);
    });
});
