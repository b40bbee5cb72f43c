import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tally } from './go-events.ts';

const event = (Action: string, Test?: string, Output?: string): string =>
  JSON.stringify({ Action, Package: 'example/p', ...(Test && { Test }), ...(Output && { Output }) });

describe('counting the events of go test', () => {
  it('counts each test without subtests, but not their groups', () => {
    const { counts } = tally([
      event('pass', 'TestAlone'),
      event('pass', 'TestGroup/one'),
      event('pass', 'TestGroup/two/deep'),
      event('output', 'TestGroup/three', '    three_test.go:3: there is no disk\n'),
      event('skip', 'TestGroup/three'),
      event('pass', 'TestGroup/two'),
      event('pass', 'TestGroup'),
      event('pass'),
      '',
    ]);
    assert.deepEqual(counts, {
      passed: 3,
      failed: 0,
      skipped: [{ name: 'example/p/TestGroup/three', reason: 'there is no disk' }],
    });
  });

  it('returns only the output of failed tests', () => {
    const { counts, output } = tally([
      event('output', 'TestFine', 'chatter\n'),
      event('pass', 'TestFine'),
      event('output', 'TestGroup/bad', 'want 1, got 2\n'),
      event('fail', 'TestGroup/bad'),
      event('fail', 'TestGroup'),
      event('fail'),
    ]);
    assert.deepEqual(counts, { passed: 1, failed: 1, skipped: [] });
    assert.equal(output, 'want 1, got 2\n');
  });

  it('counts a package that does not compile as one failure and returns the reason', () => {
    const build = { ImportPath: 'example/p', Action: 'build-output', Output: 'p.go:3:1: undefined: x\n' };
    const { counts, output } = tally([
      JSON.stringify(build),
      event('output', undefined, 'FAIL example/p [build failed]\n'),
      event('fail'),
    ]);
    assert.deepEqual(counts, { passed: 0, failed: 1, skipped: [] });
    assert.equal(output, 'p.go:3:1: undefined: x\nFAIL example/p [build failed]\n');
  });

  it('keeps lines that are not events', () => {
    assert.equal(tally(['go: downloading x v1.0.0']).output, 'go: downloading x v1.0.0\n');
  });
});
