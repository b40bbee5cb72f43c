import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom } from '../../conformance/differential/random.ts';
import { limits } from '../policy/limits.ts';
import { readJson } from './json.ts';

const numbers = '0 -0 -1.5e+3 1E400 1e 01 1. .5 - +1 0x10 1_000 NaN Infinity 1 1e-2'.split(' ');
const strings = [
  '""',
  '"\\u00e9\\ud83d\\ude00"',
  '"\\ud800"',
  '"\\u12g4"',
  '"\\x41"',
  '"\t"',
  '"\u2028"',
  '"a',
  '"\\"',
  '"\\',
];
const words = 'true false null nul nulll True'.split(' ');
const lists = ['[]', '[1,]', '[,1]', '[1 2]', '[', ']', '[]]', '[ 1 , [2] ]'];
const objects = ['{}', '{"a":1}', '{"a":1,}', '{"a"}', '{"a":}', '{a:1}', "{'a':1}", '{"a":1}x', '{"":{"":[]}}', '{,}'];
const spaces = ['//\n1', '/**/1', '1 ', '\n\t\r 1', '\u00a01', '\v1', '\ufeff1', ''];
const texts = [...numbers, ...strings, ...words, ...lists, ...objects, ...spaces];

const parsed = (text: string): { value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
};

function agrees(text: string): void {
  const { root, faults } = readJson(text);
  const expected = parsed(text);
  assert.equal(root !== undefined, expected !== undefined, `${JSON.stringify(text)}: ${JSON.stringify(faults)}`);
  if (expected) assert.deepEqual(root?.value, expected.value);
  else assert.equal(faults.length > 0, true);
}

const faultOf = (text: string) =>
  readJson(text).faults.map(({ offset, message, hint }) => [offset, message, hint ?? '']);

describe('readJson', () => {
  it('takes and refuses what JSON.parse takes and refuses', () => texts.forEach(agrees));

  it('agrees with JSON.parse on mutations of a document', () => {
    const document = '{"a": [1, -2.5e3, "x\\n\\u0041", true, null, {}], "b": {"c": []}}';
    const random = createRandom(7);
    const pieces = ['', '"', '\\', ',', '}', ']', '{', '0', 'e', ' ', '\u0000', '/', "'"];
    for (let round = 0; round < 20_000; round++) {
      const at = random.integer(document.length);
      agrees(document.slice(0, at) + random.pick(pieces) + document.slice(at + random.integer(3)));
    }
  });

  it('says what was expected and what to do', () => {
    assert.deepEqual(faultOf('{"a": 1,}'), [
      [8, 'expected an entry after ",", found "}"', 'delete the comma before it'],
    ]);
    assert.deepEqual(faultOf('{"a": 1 "b": 2}'), [
      [7, 'expected "," after this entry, found """', 'write a comma between two entries'],
    ]);
    assert.deepEqual(faultOf('{"a": // x'), [[6, 'expected a value, found "/"', 'JSON has no comments; delete it']]);
    assert.deepEqual(faultOf("{'a': 1}"), [
      [1, 'expected a key in double quotes, found "\'"', 'write strings and keys in straight double quotes (")'],
    ]);
    assert.deepEqual(faultOf('["\\.env"]'), [[2, '"\\." is not an escape', 'write a backslash as \\\\']]);
    assert.deepEqual(faultOf('[1'), [[2, 'expected "," or "]", found the end of the file', 'close it with ]']]);
    assert.deepEqual(faultOf('["abc'), [[1, 'the string is not closed', 'end it with a double quote']]);
  });

  it('finds repeated keys, however they are spelled, and reads on', () => {
    const { root, faults } = readJson('{"ab": 1, "x": {"y": 1, "y": 2}, "\\u0061b": 3}');
    assert.deepEqual(
      faults.map(({ offset, earlier, path }) => ({ offset, earlier, path })),
      [
        { offset: 24, earlier: 16, path: ['x', 'y'] },
        { offset: 33, earlier: 1, path: ['ab'] },
      ],
    );
    assert.deepEqual(root?.value, { ab: 3, x: { y: 2 } });
  });

  it('keeps a key __proto__ a key', () => {
    const value = readJson('{"__proto__": {"polluted": true}}').root?.value as Record<string, unknown>;
    assert.deepEqual(Object.keys(value), ['__proto__']);
    assert.equal(value.polluted, undefined);
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });

  it('reads up to the bound of nesting and stops there', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    assert.equal(readJson(nested(limits.fileNesting)).faults.length, 0);
    for (const text of [nested(limits.fileNesting + 1), '['.repeat(100_000), '{"a":'.repeat(100_000)])
      assert.match(readJson(text).faults[0]?.message ?? '', /^the nesting is deeper than 64$/);
  });
});
