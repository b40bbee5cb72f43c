/** Runs random streams over a libc whose calls fail at random. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { until } from '../../../../platform/testing/until.ts';
import { randomNumbers } from '../../../inspectors/testing/random.ts';
import { createLinuxPlane } from '../plane.ts';
import { FaultyLibc } from './faulty-libc.ts';
import { runStreams } from './random-streams.ts';

const descriptors = (): number => readdirSync('/proc/self/fd').length;

/**
 * Runs until `calls` calls were made.
 * @throws Error when bytes are lost without an error, or more descriptors stay open than the pool of pipes keeps
 */
export async function surviveFaults(calls: number, seed = Date.now()): Promise<void> {
  const libc = new FaultyLibc({ random: randomNumbers(seed), share: 0.02 });
  const plane = createLinuxPlane(libc);
  await runStreams(plane, randomNumbers(seed + 1), () => true);
  const before = descriptors();
  const { streams, whole } = await runStreams(plane, randomNumbers(seed + 2), () => libc.calls >= calls).catch(
    (cause) => {
      throw new Error(`seed ${seed}`, { cause });
    },
  );
  await until(() => plane.counters().open === 0, 'all connections to close');
  const context = `seed ${seed}: ${libc.faults} faults of ${libc.calls} calls, ${whole} of ${streams} streams are whole`;
  assert.ok(libc.faults > calls / 100 && whole > streams / 4, context);
  await until(() => descriptors() <= before + 64 * 2, `descriptors to close; ${context}`);
}
