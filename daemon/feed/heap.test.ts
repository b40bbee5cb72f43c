/** What decisions keep in memory: their own texts, not the response that they were read from. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { usedMemory } from '../../platform/testing/used-memory.ts';
import { type KeyedDecision, readDecision } from './decision.ts';
import { ResponseReader } from './response.ts';
import { decision } from './testing/fake-lapi.ts';

const count = 1000;
/** More than the texts that all decisions share: V8 also copies the keys of that table, others only `cut` does. */
const sharing = 2000;
const longest = 20_000;
/** The key and the texts of a decision, of two bytes a character, and the headers of its objects. */
const bound = 5 * 2 * daemonBounds.feedTextCharacters + 2048;

/** A decision whose texts are as long as one decision can be, and differ from those of all others. */
const longDecision = (index: number): object => {
  const text = (name: string) => `${name}${index}`.padEnd(longest, '.');
  return decision(`10.0.${index >> 8}.${index & 255}`, {
    type: text('type'),
    origin: text('origin'),
    scenario: text('scenario'),
  });
};

function read(index: number): KeyedDecision {
  let keyed: KeyedDecision | undefined;
  const reader = new ResponseReader((_list, raw) => {
    keyed = readDecision(raw, 0);
  });
  reader.push(Buffer.from(JSON.stringify({ new: [longDecision(index)], deleted: [] })));
  reader.end();
  assert.ok(keyed);
  return keyed;
}

test('decisions keep their own texts, without the response that they come from', async () => {
  for (let index = 0; index < sharing; index++) read(index);
  const before = await usedMemory();
  const held = Array.from({ length: count }, (_, index) => read(sharing + index));
  const each = ((await usedMemory()) - before) / held.length;
  assert.equal(held[0]?.decision.scenario.length, daemonBounds.feedTextCharacters);
  assert.ok(each <= bound, `${Math.round(each)} bytes a decision, and ${bound} are allowed`);
});
