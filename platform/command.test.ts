import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { command, lastLines } from './command.ts';
import { ExternalError } from './errors.ts';
import { scratchFolder } from './scratch-folder.ts';
import { until } from './testing/until.ts';

const node = (script: string): [string, string[]] => [process.execPath, ['-e', script]];

describe('running a program', () => {
  it('returns what it printed, and passes both streams on as they come', async () => {
    let seen = '';
    const onText = (text: string): void => {
      seen += text;
    };
    const printed = await command(...node('console.log("out"); console.error("err")'), { onText });
    assert.equal(printed, 'out\n');
    assert.deepEqual(seen.trim().split('\n').sort(), ['err', 'out']);
  });

  it('ends a program when the signal aborts while it starts', async () => {
    const controller = new AbortController();
    let seen = '';
    const onText = (text: string): void => {
      seen += text;
    };
    const script = 'setTimeout(() => console.log("not ended"), 60_000)';
    const running = command(...node(script), { signal: controller.signal, onText });
    controller.abort();
    await assert.rejects(running, { name: 'AbortError' });
    assert.equal(seen, '');
  });

  it('gives it the input', async () => {
    const input = Readable.from(['a', 'b']);
    assert.equal(await command(...node('process.stdin.pipe(process.stdout)'), { input }), 'ab');
  });

  it('says what failed, how it ended and its last lines', async () => {
    const script = 'for (let i = 0; i < 50; i++) console.error(`line ${i}`); process.exitCode = 4';
    await assert.rejects(command(...node(script)), (error: unknown) => {
      assert.ok(error instanceof ExternalError);
      assert.equal(error.message, 'node -e ended with status 4');
      assert.deepEqual(error.failed.output?.split('\n').slice(-2), ['line 48', 'line 49']);
      assert.equal(error.failed.output?.split('\n').length, 20);
      return true;
    });
  });

  it('says when there is no such program', async () => {
    await assert.rejects(command('guard-no-such-program', []), /cannot be started: it is not on this machine/);
  });

  it('says when a folder of PATH may hide a program', async () => {
    const folder = scratchFolder('guard-command-');
    writeFileSync(join(folder, 'guard-no-program'), '', { mode: 0o600 });
    const env = { ...process.env, PATH: folder };
    await assert.rejects(
      command('guard-no-program', [], { env }),
      /cannot be started: EACCES, perhaps by a folder of PATH/,
    );
  });

  it('ends the whole process group on abort', async () => {
    const controller = new AbortController();
    let child = 0;
    const grandchild = 'setInterval(() => {}, 1000)';
    const script = `console.log(require('child_process').spawn(process.execPath, ['-e', '${grandchild}']).pid)`;
    const onText = (text: string): void => {
      child = Number(text);
      controller.abort();
    };
    await assert.rejects(command(...node(script), { signal: controller.signal, onText }), { name: 'AbortError' });
    await until(() => isGone(child));
  });
});

/**
 * True when a process has ended. A killed process remains until its parent has read its status; for an orphan that
 * parent is init.
 */
function isGone(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

describe('the last lines of a text', () => {
  it('have no terminal controls and no progress that was overwritten by a later line', () => {
    assert.equal(lastLines('a\nb\r\x1b[32mc\x1b[0m\n\n', 2), 'b\nc');
  });
});
