import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Policy } from '../../contract/policy/schema.ts';
import { proxies } from '../targets/table.ts';

const tcp = { services: { ssh: { listen: ':2222', upstream: '127.0.0.1:22' } } };

for (const form of proxies.flatMap(({ forms }) => forms))
  test(`${form.name} has nothing of the section for tcp-guard`, async () => {
    const generate = await form.load();
    const text = (policy: object) => generate(Policy.parse(policy));
    assert.equal(text({ checkQuery: true, tcp }), text({ checkQuery: true }));
  });
