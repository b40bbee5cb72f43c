import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { luaString, luaValue } from './lua.ts';

const strings: readonly (readonly [string, string, string])[] = [
  ['plain text is quoted', 'X-Original-URL', '"X-Original-URL"'],
  ['an empty text is quoted', '', '""'],
  ['patterns are verbatim in long brackets', '\\.env$', '[[\\.env$]]'],
  ['a bracket at the end needs the next level', '\\[a]', '[=[\\[a]]=]'],
  ['closing brackets need a free level', '"]]]=]', '[==["]]]=]]==]'],
  ['text that closes every level is quoted', '"]]]=]]==]]===]', '"\\"]]]=]]==]]===]"'],
  ['line breaks are escaped', 'a\nb', '"a\\010b"'],
  ['a digit after an escape is not part of it', '\n1', '"\\0101"'],
  ['control characters and backslashes are escaped', '\\\u0000', '"\\\\\\000"'],
  ['letters of any script are verbatim', 'é 漢', '"é 漢"'],
  ['characters that editors interpret are escaped', 'a\u202eb\ufeff', '"a\\226\\128\\174b\\239\\187\\191"'],
];

describe('a string of Lua', () => {
  for (const [name, text, expected] of strings) it(name, () => assert.equal(luaString(text), expected));
  it('is split into pieces that nginx can read', () => {
    const text = luaString('"\u{1f600}'.repeat(2000));
    const lines = text.split('\n').slice(1, -1);
    assert.ok(lines.length > 10);
    for (const line of lines) assert.ok(/^ {4}".*",$/.test(line) && Buffer.byteLength(line) < 4096);
  });
});

describe('a table of Lua', () => {
  it('takes one line if it fits', () => assert.equal(luaValue({ a: [1, true], b: {} }), '{ a = { 1, true }, b = {} }'));
  it('takes one line per member otherwise', () => {
    const long = 'x'.repeat(60);
    assert.equal(luaValue({ a: long, b: long }), `{\n    a = "${long}",\n    b = "${long}",\n}`);
  });
  it('quotes keys that are not names', () => {
    assert.equal(luaValue({ 'X-A': 1, end: 2, a_1: 3 }), '{ ["X-A"] = 1, ["end"] = 2, a_1 = 3 }');
  });
});
