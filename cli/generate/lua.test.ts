import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { luaString, luaValue } from './lua.ts';

const strings: readonly (readonly [string, string, string])[] = [
  ['plain text is quoted', 'X-Original-URL', '"X-Original-URL"'],
  ['an empty text is quoted', '', '""'],
  ['patterns stand in long brackets as they are', '\\.env$', '[[\\.env$]]'],
  ['a bracket at the end moves to the next level', '\\[a]', '[=[\\[a]]=]'],
  ['closing brackets move to a free level', '"]]]=]', '[==["]]]=]]==]'],
  ['text that closes every level is quoted', '"]]]=]]==]]===]', '"\\"]]]=]]==]]===]"'],
  ['lines stay in one line', 'a\nb', '"a\\010b"'],
  ['a digit behind an escape is no part of it', '\n1', '"\\0101"'],
  ['controls are escaped, with backslashes beside them', '\\\u0000', '"\\\\\\000"'],
  ['letters of any script are readable', 'é 漢', '"é 漢"'],
  ['what editors act on is not', 'a\u202eb\ufeff', '"a\\226\\128\\174b\\239\\187\\191"'],
];

describe('a string of Lua', () => {
  for (const [name, text, expected] of strings) it(name, () => assert.equal(luaString(text), expected));
  it('is written in pieces that nginx can read', () => {
    const text = luaString('"\u{1f600}'.repeat(2000));
    const lines = text.split('\n').slice(1, -1);
    assert.ok(lines.length > 10);
    for (const line of lines) assert.ok(/^ {4}".*",$/.test(line) && Buffer.byteLength(line) < 4096);
  });
});

describe('a table of Lua', () => {
  it('stands on a line when it fits', () =>
    assert.equal(luaValue({ a: [1, true], b: {} }), '{ a = { 1, true }, b = {} }'));
  it('has a line for each member otherwise', () => {
    const long = 'x'.repeat(60);
    assert.equal(luaValue({ a: long, b: long }), `{\n    a = "${long}",\n    b = "${long}",\n}`);
  });
  it('quotes keys that are no names', () => {
    assert.equal(luaValue({ 'X-A': 1, end: 2, a_1: 3 }), '{ ["X-A"] = 1, ["end"] = 2, a_1 = 3 }');
  });
});
