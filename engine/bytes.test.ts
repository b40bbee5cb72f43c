import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { escapeBytes, nonEmptyParts, strip, utf8 } from './bytes.ts';

describe('escapeBytes', () => {
  it('keeps printable ASCII and nothing else', () =>
    assert.equal(escapeBytes('\x00 ~\x7f\x80\xff%41'), '%00 ~%7F%80%FF%41'));
});

describe('utf8', () => {
  it('writes what TextEncoder writes, at every change of length', () => {
    for (const codePoint of [0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff])
      assert.equal(utf8(codePoint), Buffer.from(String.fromCodePoint(codePoint), 'utf8').toString('latin1'));
  });
});

describe('strip', () => {
  it('removes the characters at both ends only', () => assert.equal(strip(' \ta b\t ', ' \t'), 'a b'));
  it('makes an empty text of a text of only these characters', () => assert.equal(strip('   ', ' '), ''));
});

describe('nonEmptyParts', () => {
  it('skips empty parts at each place', () => assert.deepEqual([...nonEmptyParts('&&a&&b&', '&')], ['a', 'b']));
  it('yields the whole text where there is no separator', () =>
    assert.deepEqual([...nonEmptyParts('ab', '&')], ['ab']));
});
