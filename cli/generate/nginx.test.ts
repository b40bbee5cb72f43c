import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Policy } from '../../contract/policy/schema.ts';
import { httpDirectives } from './nginx.ts';

test('a body larger than the smallest buffer of nginx stays in memory', () => {
  const sizes = (maxBodyBytes: number) =>
    httpDirectives([Policy.parse({ checkBody: true, maxBodyBytes })]).filter(({ text }) =>
      text.includes('body_buffer'),
    );
  assert.deepEqual(sizes(8192), []);
  assert.deepEqual(
    sizes(8193).map(({ text }) => text),
    ['client_body_buffer_size 9k;'],
  );
});
