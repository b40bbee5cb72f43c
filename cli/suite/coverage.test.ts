import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadPolicy } from '../../contract/load/policy.ts';
import { percentOf, recordCoverage } from './coverage.ts';

const own = { enableDefaultPatterns: false, enableDefaultAllowPatterns: false };

/** Returns `state id` of each rule after requests for these targets. */
function coverageOf(file: object, targets: readonly string[]) {
  const loaded = loadPolicy(Buffer.from(JSON.stringify({ ...own, ...file })), 'guard.json');
  assert.ok(loaded.ok);
  const recorder = recordCoverage({ name: 'guard.json', policy: loaded.value });
  for (const target of targets) {
    const request = { method: 'GET', target, headers: [] };
    recorder.add(request, recorder.guard.evaluate(request));
  }
  const { percent, rules } = recorder.result();
  return { percent, states: rules.map(({ id, state }) => `${state} ${id}`) };
}

test('a rule is hit when it decides, and nearly when another one does', () => {
  const file = { blockPatterns: ['^/a', '^/ab', '^/c'], allowPatterns: ['^/c/free'] };
  assert.deepEqual(coverageOf(file, ['/ab', '/c/free']), {
    percent: 50,
    states: ['hit allow[0]', 'hit block[0]', 'near_miss block[1]', 'near_miss block[2]'],
  });
});

test('an exception is hit when it excuses a rule, and nearly when it only applies', () => {
  const file = {
    blockPatterns: ['secret'],
    exceptions: [
      { rules: ['block[0]'], path: '^/docs/' },
      { rules: ['block[0]'], path: '^/free/' },
      { rules: ['block[0]'], path: '^/none/' },
    ],
  };
  assert.deepEqual(coverageOf(file, ['/docs/secret', '/free/x']).states, [
    'near_miss block[0]',
    'hit exceptions[0]',
    'near_miss exceptions[1]',
    'never exceptions[2]',
  ]);
});

test('requests that bypass the policy cover nothing', () => {
  const file = { blockPatterns: ['^/a'], methods: ['POST'] };
  assert.deepEqual(coverageOf(file, ['/a']), { percent: 0, states: ['never block[0]'] });
});

test('percentages are rounded down', () => {
  assert.deepEqual([percentOf(999, 1000), percentOf(1, 3), percentOf(0, 0)], [99, 33, 100]);
});
