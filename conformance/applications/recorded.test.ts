import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Policy, type PolicyFile } from '../../contract/policy/schema.ts';
import { compile } from '../../engine/index.ts';
import { guardRequest, recordedApplications, recordedRequests } from './recorded.ts';

const policies: Readonly<Record<string, PolicyFile>> = {
  'the default policy': {},
  // A body may name files that a path may not: phpMyAdmin imports `orders.sql`.
  'a policy that inspects all methods and queries': { methods: ['*'], checkQuery: true },
};

for (const application of recordedApplications())
  for (const [name, policy] of Object.entries(policies))
    test(`${name} blocks no request to ${application}`, () => {
      const guard = compile(Policy.parse(policy));
      const requests = recordedRequests(application);
      const blocked = requests.flatMap((request) => {
        const { verdict, rule, candidate } = guard.evaluate(guardRequest(request));
        return verdict === 'blocked' ? [`${request.method} ${request.target}: ${rule} matches ${candidate}`] : [];
      });
      assert.deepEqual(blocked, []);
    });

test('each application has at least 100 distinct requests', () => {
  for (const application of recordedApplications()) {
    const distinct = new Set(recordedRequests(application).map((request) => JSON.stringify(request)));
    assert.ok(distinct.size >= 100, `${application}: ${distinct.size}`);
  }
});
