import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drainDisturbances, measureUndisturbed, tickSumsOf } from './steal.ts';

const stat = `cpu  30 0 30 30 0 0 0 30 5 0
cpu0 10 0 10 10 0 0 0 10 5 0
cpu1 20 0 20 20 0 0 0 20 0 0
intr 1 2 3
`;

test('sums stolen time of the named processors, without guest time', () => {
  assert.deepEqual(tickSumsOf(stat, ['0']), { stolen: 10, all: 40 });
  assert.deepEqual(tickSumsOf(stat, []), { stolen: 30, all: 120 });
});

/**
 * Measures rounds of 100 ticks. `stolen` has the stolen ticks of each round; its last value applies to further rounds.
 */
async function measured(stolen: readonly number[], processors?: readonly string[]): Promise<number> {
  let [rounds, reads, steal, user] = [0, 0, 0, 0];
  const read = () => {
    const ofRound = stolen[Math.min(rounds, stolen.length) - 1] ?? 0;
    if (reads++ % 2 === 1) [steal, user] = [steal + ofRound, user + 100 - ofRound];
    return `cpu0 ${user} 0 0 0 0 0 0 ${steal} 0 0\ncpu1 0 0 0 ${user + steal} 0 0 0 0 0 0\n`;
  };
  const value = await measureUndisturbed(
    () => {
      rounds += 1;
      return rounds;
    },
    processors,
    read,
  );
  assert.equal(value, rounds); // the result of the last round
  return rounds;
}

test('repeats rounds from which more than 3 % was stolen, and reports them', async () => {
  drainDisturbances();
  assert.equal(await measured([3], ['0']), 1);
  assert.equal(drainDisturbances(), undefined);
  assert.equal(await measured([4, 60, 3], ['0']), 3);
  assert.equal(drainDisturbances(), "2 rounds were repeated: up to 60 % of the processors' time was stolen");
  assert.equal(drainDisturbances(), undefined);
});

test('reads all processors unless some are named', async () => {
  assert.equal(await measured([6]), 1); // 6 of 200 ticks of both processors
  assert.equal(await measured([8, 0]), 2);
  drainDisturbances();
  assert.equal(await measured([6], ['1']), 1);
  assert.equal(drainDisturbances(), undefined);
});

test('repeats a round five times at most, and reports that a disturbed one counts', async () => {
  drainDisturbances();
  assert.equal(await measured([50], ['0']), 6);
  assert.equal(
    drainDisturbances(),
    "5 rounds were repeated: up to 50 % of the processors' time was stolen; 1 disturbed rounds count, because 5 repetitions did not help",
  );
});
