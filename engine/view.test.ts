import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom } from '../conformance/differential/random.ts';
import { mutateTarget, randomTarget } from '../conformance/differential/targets.ts';
import { limits } from '../contract/policy/limits.ts';
import { view } from './view.ts';

const candidatesOf = (text: string) => view(text, limits.pathBytes, { used: 0 }).candidates;

describe('view', () => {
  it('has one candidate for a plain path', () => assert.deepEqual(candidatesOf('/a/b-c_d.e~f'), ['/a/b-c_d.e~f']));

  it('reads backslashes as nothing and as slashes', () =>
    assert.deepEqual(candidatesOf('/a\\..\\b'), ['/a\\..\\b', '/a..b', '/a/../b', '/b']));

  it('reads each round of decoding', () =>
    assert.deepEqual(candidatesOf('/%252e%252e/x'), ['/%252e%252e/x', '/%2e%2e/x', '/../x', '/x']));

  it('uses up its budget', () => {
    const budget = { used: limits.requestBytes - 4 };
    assert.deepEqual(view('/abc', limits.pathBytes, budget), { candidates: ['/abc'] });
    assert.deepEqual(view('/', limits.pathBytes, budget), { candidates: [], limit: 'limit_candidates' });
  });

  it('has printable candidates without repetitions, the value first, within its limits', () => {
    const random = createRandom(4);
    for (let count = 0; count < 5000; count += 1) {
      const text = mutateTarget(random, randomTarget(random, ['/.env', '/a/../b']));
      const { candidates, limit } = view(text, limits.pathBytes, { used: 0 });
      assert.ok(candidates.every((candidate) => /^[ -~]*$/.test(candidate)));
      assert.equal(new Set(candidates).size, candidates.length);
      assert.ok(candidates.join('').length <= limits.viewBytes);
      assert.ok(limit === 'limit_length' || candidates.length > 0);
    }
  });
});
