import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BadResponse, ResponseReader } from './response.ts';

function read(text: string, size = text.length): { new: unknown[]; deleted: unknown[] } {
  const found = { new: [] as unknown[], deleted: [] as unknown[] };
  const reader = new ResponseReader((list, decision) => found[list].push(decision));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  reader.end();
  return found;
}

const awkward = { value: '1.2.3.4', scenario: 'a "quoted" \\ {brace} [bracket] ], é 🙂', list: [{ deep: [1, '}'] }] };

describe('a response of the decision stream', () => {
  const empty = { new: [], deleted: [] };
  for (const text of [
    '{"new": [], "deleted": []}',
    '{"deleted":null,"new":null}\n',
    ' { "new" : null , "deleted" : [ ] } ',
    '{"new":[],"deleted":[],"more":{"a":1}}',
  ])
    it(`is empty: ${text.trim()}`, () => assert.deepEqual(read(text), empty));

  it('gives the same result in chunks of any size', () => {
    const text = JSON.stringify({ deleted: [awkward], new: [awkward, { a: 1 }, awkward] }, null, 1);
    for (const size of [1, 2, 3, 7, 64, text.length])
      assert.deepEqual(read(text, size), { new: [awkward, { a: 1 }, awkward], deleted: [awkward] });
  });

  for (const text of [
    '',
    '{}',
    'null',
    '[]',
    '<html>no</html>',
    '{"new": []',
    '{"new": [{"a":1}',
    '{"new": [{"a":1}], "deleted": [',
    '{"new": [{"a":1}]',
    '{"new": [], "deleted": []}{}',
    '{"new": [1], "deleted": []}',
    '{"new": [{"a":}], "deleted": []}',
    '{"new": "x", "deleted": []}',
    '{"other": [{"a":1}], "new": [], "deleted": []}',
    '{"message":"access forbidden"}',
    ']]]',
    `{"new": [], "deleted": [], "x": "${'y'.repeat(10_000)}"}`,
  ])
    it(`is refused: ${text.slice(0, 50)}`, () => assert.throws(() => read(text), BadResponse));

  it('is refused when a decision does not end', () => {
    const reader = new ResponseReader(() => assert.fail());
    reader.push(Buffer.from('{"new": [{"scenario": "'));
    const more = Buffer.alloc(40_000, 'x');
    reader.push(more);
    assert.throws(() => reader.push(more), /a decision is too large/);
  });

  it('is refused when it is too large', () => {
    const reader = new ResponseReader(() => undefined);
    reader.push(Buffer.from('{"new": ['));
    const many = Buffer.from('{"a":1},'.repeat(1_000_000));
    assert.throws(() => {
      for (let round = 0; round < 9; round++) reader.push(many);
    }, /the response is too large/);
  });
});

it('a response of the decision stream can have space between any number of decisions', () => {
  const many = Array.from({ length: 10_000 }, () => ({ a: 1 }));
  assert.equal(read(JSON.stringify({ new: many, deleted: [] }, null, 1)).new.length, many.length);
  assert.equal(read(`{"new": [${many.map(() => '{"a":1}').join(', ')}], "deleted":\t[\r\n]}`).new.length, many.length);
});
