import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonText, printable, readable } from './escape.ts';

const everyByte = String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code));

describe('printable', () => {
  it('lets printable ASCII alone', () => assert.equal(printable('GET /a?b=~ \\'), 'GET /a?b=~ \\'));
  it('leaves no byte outside printable ASCII', () => assert.match(printable(everyByte), /^[\x20-\x7e]*$/));
  it('shows bytes in hex', () => assert.equal(printable('\x00\x1b[31m\xe9'), '\\x00\\x1b[31m\\xe9'));
  it('shows other characters by their number', () => assert.equal(printable('\u202e\u{1f600}'), '\\u{202e}\\u{1f600}'));
  it('shows half a surrogate pair', () => assert.equal(printable('\ud800'), '\\u{d800}'));
});

describe('readable', () => {
  it('keeps words of any script', () => assert.equal(readable('Jürgen, 守衛 <a>'), 'Jürgen, 守衛 <a>'));
  it('escapes controls, C1 included', () => assert.equal(readable('a\x07\x9b\n'), 'a\\x07\\x9b\\x0a'));
  it('escapes what is invisible or turns the line', () => {
    assert.equal(readable('a\u202eb\u200bc\u2028\ufeff'), 'a\\u{202e}b\\u{200b}c\\u{2028}\\u{feff}');
  });
});

describe('jsonText', () => {
  it('means the same', () => {
    const value = { text: `${everyByte}\u2028\u{1f600}`, list: [1, null] };
    assert.deepEqual(JSON.parse(jsonText(value)), value);
  });
  it('is printable ASCII and line feeds', () =>
    assert.match(jsonText({ a: `${everyByte}\u{1f600}` }), /^[\x20-\x7e\n]*$/));
});
