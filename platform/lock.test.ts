import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { packageRoot } from './assets.ts';
import { acquireLock } from './lock.ts';

function lockFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'guard-lock-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'locks/step');
}

/** Starts a process that holds the lock until it is killed. */
async function holder(t: TestContext, file: string): Promise<{ readonly pid: number; readonly kill: () => void }> {
  const module = pathToFileURL(join(packageRoot, 'platform/lock.ts')).href;
  const script = `const { acquireLock } = await import(${JSON.stringify(module)});
    await acquireLock(${JSON.stringify(file)});
    console.log('held');
    setInterval(() => {}, 60_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return { pid: child.pid as number, kill: () => child.kill('SIGKILL') };
}

describe('a lock', () => {
  it('is taken although a file names a process that lives: its number was given again after a reboot', async (t) => {
    const file = lockFile(t);
    const release = await acquireLock(file);
    release();
    // A crashed owner leaves its process id in the file. This one belongs to an unrelated process.
    writeFileSync(file, String(process.ppid));
    const again = await acquireLock(file, { signal: AbortSignal.timeout(10_000) });
    again();
  });

  it('is waited for with a line that names its process, and is free when that is killed', async (t) => {
    const file = lockFile(t);
    const { pid, kill } = await holder(t, file);
    const notes: string[] = [];
    const onWait = (note: string): void => {
      notes.push(note);
      kill();
    };
    const release = await acquireLock(file, { onWait });
    release();
    assert.deepEqual(notes, [`waiting for process ${pid}, which is already running this step`]);
  });

  it('keeps out a second taker of the same process', async (t) => {
    const file = lockFile(t);
    const release = await acquireLock(file);
    let isFree = false;
    const second = acquireLock(file, {
      onWait: () => {
        isFree = true;
        release();
      },
    });
    (await second)();
    assert.equal(isFree, true);
  });

  it('is not waited for after an abort', async (t) => {
    const file = lockFile(t);
    const release = await acquireLock(file);
    const controller = new AbortController();
    const waiting = acquireLock(file, { signal: controller.signal, onWait: () => controller.abort() });
    await assert.rejects(waiting, { name: 'AbortError' });
    release();
  });

  it('reports a lock file that cannot be opened as the system does, which SQLite does not', async (t) => {
    const file = lockFile(t);
    mkdirSync(`${file}.lock`, { recursive: true });
    await assert.rejects(acquireLock(file), {
      code: 'EACCES',
      message: `EACCES: unable to open database file, ${file}.lock`,
    });
  });

  it('is free again after its owner could not be written', async (t) => {
    const file = lockFile(t);
    mkdirSync(file, { recursive: true });
    await assert.rejects(acquireLock(file), { code: 'EISDIR' });
    rmSync(file, { recursive: true });
    const controller = new AbortController();
    const release = await acquireLock(file, { signal: controller.signal, onWait: () => controller.abort() });
    release();
  });
});
