import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { scratch } from '../testing/scratch.ts';
import { directTerminal, type Sink } from './terminal.ts';

const noStream = (): Sink => assert.fail('no stream was needed');
const noError = (error: Error): void => assert.fail(error);

/** A pipe in this process that is read without blocking. */
function nonBlockingPipe(t: TestContext): number {
  const path = join(scratch(), 'pipe');
  execFileSync('mkfifo', [path]);
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  t.after(() => closeSync(fd));
  return fd;
}

function held(fd: number): string {
  const buffer = Buffer.alloc(4 * 1024 * 1024);
  return buffer.subarray(0, readSync(fd, buffer)).toString('latin1');
}

describe('direct writes', () => {
  it('writes everything in order', () => {
    const path = join(scratch({ out: '' }), 'out');
    const fd = openSync(path, 'w');
    const terminal = directTerminal(fd, noStream, noError);
    terminal.write('ä');
    terminal.write('b'.repeat(1_000_000));
    closeSync(fd);
    assert.equal(readFileSync(path, 'utf8'), `ä${'b'.repeat(1_000_000)}`);
  });
  it('passes everything after a full pipe to a stream', (t: TestContext) => {
    const fd = nonBlockingPipe(t);
    const late: Buffer[] = [];
    const terminal = directTerminal(fd, () => ({ write: (chunk) => late.push(Buffer.from(chunk)) }), noError);
    const text = 'abcdefg'.repeat(100_000);
    terminal.write(text);
    const early = held(fd); // now the pipe has space again
    terminal.write('the end');
    assert.ok(early.length > 0 && early.length < text.length);
    assert.ok(early + Buffer.concat(late).toString() === `${text}the end`);
  });
  it('reports write errors', () => {
    const errors: (string | undefined)[] = [];
    const fd = openSync('/dev/full', 'w');
    directTerminal(fd, noStream, ({ code }) => errors.push(code)).write('x');
    closeSync(fd);
    assert.deepEqual(errors, ['ENOSPC']);
  });
});
