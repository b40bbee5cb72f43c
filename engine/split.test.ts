import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { splitTarget } from './split.ts';

describe('splitTarget', () => {
  it('cuts at the first question mark', () => assert.deepEqual(splitTarget('/a?b?c'), { path: '/a', query: 'b?c' }));
  it('has an empty query after a final question mark', () =>
    assert.deepEqual(splitTarget('/a?'), { path: '/a', query: '' }));
  it('has a root where there is no path', () => assert.deepEqual(splitTarget('http://h?q'), { path: '/', query: 'q' }));
  it('keeps no state between targets', () => {
    assert.equal(splitTarget('http://h/a').path, '/a');
    assert.equal(splitTarget('/b').path, '/b');
    assert.equal(splitTarget('http://h/c').path, '/c');
  });
  it('takes ten million schemes', () => assert.equal(splitTarget(`${'a:'.repeat(1e7)}/x`).path, '/x'));
});
