import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { openLibc } from '../../process/libc/open.ts';
import { churn } from '../conformance/churn.ts';
import { openLinuxPlane } from './plane.ts';
import { stallMany } from './testing/stalls.ts';
import { surviveFaults } from './testing/survive-faults.ts';

const opened = openLibc();
const skip = 'missing' in opened && opened.missing;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/**
 * Bytes of buffers and of the heap in use, after collections that free nothing more. A collection is finished in later turns of the
 * event loop, and what it frees can free more.
 */
async function used(least = Number.POSITIVE_INFINITY): Promise<number> {
  collect();
  await turn();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external < least ? used(heapUsed + external) : least;
}

/** Whether a descriptor is of a pipe. The listing has its own descriptor, which is closed. */
function isPipe(fd: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`).startsWith('pipe:');
  } catch {
    return false;
  }
}

/** Open pipes, and other descriptors. */
function descriptors(): readonly [number, number] {
  const all = readdirSync('/proc/self/fd');
  const ends = all.filter(isPipe).length;
  return [ends / 2, all.length - ends];
}

const megabyte = 1024 * 1024;

test('accounts for every byte of a million calls', { skip }, () => surviveFaults(1_000_000));

test('opens, closes, resets and stalls at random leave neither memory nor descriptors behind', { skip }, async () => {
  const plane = openLinuxPlane();
  const round = async (): Promise<readonly [number, number]> => {
    await churn(plane, 1000);
    await stallMany(plane, 200);
    return descriptors();
  };
  await round();
  const [pipes, others] = await round();
  const before = await used();
  const after: (readonly [number, number])[] = [];
  for (let count = 0; count < 6; count += 1) after.push(await round());
  const seen = `${pipes} pipes, ${others} others, then ${after.join(' | ')}`;
  assert.ok(
    after.every(([open]) => open <= pipes + daemonBounds.pipes),
    seen,
  );
  assert.ok(Math.min(...after.slice(-3).map(([, open]) => open)) <= others, seen);
  const bytes = await used();
  assert.ok(bytes < before + 4 * megabyte, `${before} bytes, then ${bytes}`);
});
