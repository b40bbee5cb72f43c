import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openLibc } from '../../process/libc/open.ts';
import { churn } from '../conformance/churn.ts';
import { openLinuxPlane } from './plane.ts';
import { stallMany } from './testing/stalls.ts';
import { surviveFaults } from './testing/survive-faults.ts';

const opened = openLibc();
const skip = 'missing' in opened && opened.missing;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of buffers and of the heap in use. */
function used(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const descriptors = (): number => readdirSync('/proc/self/fd').length;

test('accounts for every byte of a million calls', { skip }, () => surviveFaults(1_000_000));

test('opens, closes, resets and stalls at random leave neither memory nor descriptors behind', { skip }, async (t) => {
  const plane = openLinuxPlane();
  const round = async (): Promise<readonly [number, number]> => {
    await churn(t, openLinuxPlane(), 1000);
    await stallMany(plane, 200);
    return [used(), descriptors()];
  };
  await round();
  const [before, open] = await round();
  const after: (readonly [number, number])[] = [];
  for (let count = 0; count < 6; count += 1) after.push(await round());
  const megabyte = 1024 * 1024;
  // Each round has one more plane, with its chunk, its epoll and its spare descriptor.
  assert.ok(
    Math.min(...after.slice(-3).map(([bytes]) => bytes)) < before + 12 * megabyte,
    `${before} bytes, then ${after}`,
  );
  assert.ok(
    Math.min(...after.slice(-3).map(([, count]) => count)) <= open + 6 * 3,
    `${open} descriptors, then ${after}`,
  );
});
