/** The memory that decisions use: their texts, but not the response that contained them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { usedMemory } from '../../platform/testing/used-memory.ts';
import { type KeyedDecision, readDecision } from './decision.ts';
import { ResponseReader } from './response.ts';
import { decision } from './testing/fake-lapi.ts';

const count = 1000;
/**
 * The number of decisions that fill the bounded table of shared texts before the test. V8 copies the keys of a table,
 * so a text in it would not show whether `cut` copies.
 */
const sharing = 2000;
const longest = 20_000;
/** Room for the key and the texts of a decision, at two bytes a character, and for its objects. */
const bound = 5 * 2 * daemonBounds.feedTextCharacters + 2048;

/** A decision with the longest possible texts, which no other decision has. */
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
