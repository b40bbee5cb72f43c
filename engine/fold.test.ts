import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { foldToAscii } from './fold.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex').toString('latin1');

describe('foldToAscii', () => {
  const folded: readonly (readonly [bytes: string, text: string])[] = [
    ['c0 ae', '.'],
    ['c1 81', 'A'],
    ['c0 2e', '.'],
    ['c0 5c', '\\'],
    ['c0 6e', '.'],
    ['c0 ef', '/'],
    ['c1 1c', '\\'],
    ['c1 5c', '\\'],
    ['e0 80 ae', '.'],
    ['e0 81 9c', '\\'],
    ['f0 80 80 af', '/'],
    ['f8 80 80 81 81', 'A'],
    ['fc 80 80 80 80 ae', '.'],
    ['ef bc 8f', '/'],
    ['e2 80 a6', '...'],
    ['c0 c0 ae', '\xc0.'],
  ];
  for (const [bytes, text] of folded)
    it(`turns ${bytes} into ${text}`, () => assert.equal(foldToAscii(hex(bytes)), text));

  for (const bytes of [
    'c0',
    'c0 41',
    'c1 2f 80'.slice(0, 2),
    'c2 ae',
    'c2 88 95',
    'e0 82 80',
    'e0 80',
    'f0 81 80 80',
    'ef bc 80',
    'e2 82 ac',
    'ae',
    'ff',
  ])
    it(`keeps ${bytes}`, () => assert.equal(foldToAscii(hex(bytes)), hex(bytes)));
});
