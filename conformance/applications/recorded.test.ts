import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applicationNames } from '../../contract/policy/application-names.ts';
import { Policy, type PolicyFile } from '../../contract/policy/schema.ts';
import { compile } from '../../engine/index.ts';
import { guardRequest, recordedApplications, recordedRequests } from './recorded.ts';

const policies: Readonly<Record<string, PolicyFile>> = {
  'the default policy': {},
  // A body may name files that a path may not: phpMyAdmin imports `orders.sql`.
  'a policy that inspects all methods and queries': { methods: ['*'], checkQuery: true },
};

function blockedRequests(application: string, policy: PolicyFile): string[] {
  const guard = compile(Policy.parse(policy));
  return recordedRequests(application).flatMap((request) => {
    const { verdict, rule, candidate } = guard.evaluate(guardRequest(request));
    return verdict === 'blocked' ? [`${request.method} ${request.target}: ${rule} matches ${candidate}`] : [];
  });
}

for (const application of recordedApplications())
  for (const [name, policy] of Object.entries(policies))
    test(`${name} blocks no request to ${application}`, () => {
      assert.deepEqual(blockedRequests(application, policy), []);
    });

const profiles = new Set(applicationNames);

for (const application of recordedApplications().filter((name) => profiles.has(name)))
  test(`the extended rules with the profile of ${application} block none of its requests`, () => {
    const profile = { name: application, basePath: '/' };
    const policy: PolicyFile = { methods: ['*'], checkQuery: true, builtinRules: 'extended', applications: [profile] };
    assert.deepEqual(blockedRequests(application, policy), []);
  });

test('each application has at least 100 distinct requests', () => {
  for (const application of recordedApplications()) {
    const distinct = new Set(recordedRequests(application).map((request) => JSON.stringify(request)));
    assert.ok(distinct.size >= 100, `${application}: ${distinct.size}`);
  }
});
