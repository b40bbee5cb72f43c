import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { test } from 'node:test';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { usedMemory } from '../../../platform/testing/used-memory.ts';
import { skip } from '../../process/libc/testing/libc.ts';
import { runChurn } from '../testing/conformance/churn.ts';
import { openLinuxPlane } from './plane.ts';
import { stallMany } from './testing/stalls.ts';
import { surviveFaults } from './testing/survive-faults.ts';

/** Whether a descriptor is a pipe. The listing has a descriptor too, which is closed by now. */
function isPipe(fd: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`).startsWith('pipe:');
  } catch {
    return false;
  }
}

/** The number of open pipes, and of other descriptors. */
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
    await runChurn(plane, 1000);
    await stallMany(plane, 200);
    return descriptors();
  };
  await round();
  const [pipes, others] = await round();
  const before = await usedMemory();
  const after: (readonly [number, number])[] = [];
  for (let count = 0; count < 6; count += 1) after.push(await round());
  const seen = `${pipes} pipes, ${others} others, then ${after.join(' | ')}`;
  assert.ok(
    after.every(([open]) => open <= pipes + daemonBounds.pipes),
    seen,
  );
  assert.ok(Math.min(...after.slice(-3).map(([, open]) => open)) <= others, seen);
  const bytes = await usedMemory();
  assert.ok(bytes < before + 4 * megabyte, `${before} bytes, then ${bytes}`);
});
