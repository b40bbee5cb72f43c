import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatGoDuration, parseGoDuration } from './go-duration.ts';

describe('durations of Go', () => {
  const rows: readonly [string, number | undefined][] = [
    ['4h', 14_400_000],
    ['3h59m57.5s', 14_397_500],
    ['-2.870905ms', -2.870905],
    ['0s', 0],
    ['0', 0],
    ['-1h0m0s', -3_600_000],
    ['1.5us', 0.0015],
    ['500ns', 0.0005],
    ['', undefined],
    ['4', undefined],
    ['1d', undefined],
    ['4h ', undefined],
    ['--1s', undefined],
    ['1e9s', undefined],
    ['2562047h47m16s', 9_223_372_036_000],
    ['2562048h', undefined],
    ['-2562048h', undefined],
    [`${'9'.repeat(80)}s`, undefined],
  ];
  for (const [text, ms] of rows) it(JSON.stringify(text), () => assert.equal(parseGoDuration(text), ms));

  it('are written in whole seconds', () => {
    assert.equal(formatGoDuration(599_700), '600s');
    assert.equal(formatGoDuration(3), '1s');
  });
});
