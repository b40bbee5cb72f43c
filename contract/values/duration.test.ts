import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatDuration, meantDuration, parseDuration } from './duration.ts';

const valid: [string, number][] = [
  ['30s', 30_000],
  ['4h', 14_400_000],
  ['1h30m', 5_400_000],
  ['7d', 604_800_000],
  ['250ms', 250],
  ['1m500ms', 60_500],
  ['1d2h3m4s5ms', 93_784_005],
  ['0s', 0],
  ['90m', 5_400_000],
  ['permanent', Number.POSITIVE_INFINITY],
];

const invalid = [
  '',
  '30',
  's',
  '-1s',
  '+1s',
  '1.5h',
  '1 h',
  '30S',
  '1m1h',
  '1s1s',
  '1w',
  '1e3s',
  'forever',
  '٣s',
  '9999999999s',
];

describe('parseDuration', () => {
  for (const [text, ms] of valid) it(`reads ${text}`, () => assert.equal(parseDuration(text), ms));
  for (const text of invalid) it(`refuses "${text}"`, () => assert.equal(parseDuration(text), undefined));
});

describe('meantDuration', () => {
  const texts = {
    '10 min': '10m',
    '1 hour': '1h',
    '2HRS': '2h',
    '1w': '7d',
    '3 days': '3d',
    45: '45s',
    '10 sec': '10s',
  };
  for (const [text, meant] of Object.entries(texts))
    it(`reads ${text} as ${meant}`, () => assert.equal(meantDuration(text), meant));
  for (const text of ['', '1 month', '5 ms', 'forever', '-1', '1.5 h'])
    it(`reads nothing into "${text}"`, () => assert.equal(meantDuration(text), undefined));
});

describe('formatDuration', () => {
  const texts: [number, string][] = [
    [0, '0s'],
    [1, '1s'],
    [14_399_001, '4h'],
    [14_352_000, '3h59m12s'],
    [86_400_000 * 365, '365d'],
  ];
  for (const [ms, text] of texts)
    it(`${ms} ms are ${text}, which reads as no less`, () => {
      assert.equal(formatDuration(ms), text);
      const read = parseDuration(text) ?? Number.NaN;
      assert.ok(read >= ms && read < ms + 1000);
    });
});
