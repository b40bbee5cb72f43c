import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { configuration, guardedService, temporaryFolder } from '../testing/daemon.ts';
import { policyReader, readPolicies } from './policies.ts';

test('a problem of a policy has the position and the key in its file', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'guard.json'), '{\n  "allowedIps": ["x"]\n}\n');
  const web = guardedService(1, { protocol: 'http', http: { policy: 'guard.json' } });
  const { problems } = await readPolicies(configuration({ services: { web } }), policyReader(folder));
  assert.deepEqual(
    problems.map(({ path, message }) => `${path}: ${message}`),
    ['services.web.http.policy: guard.json:2:18: allowedIps[0]: expected an IPv4 or IPv6 address or CIDR, found "x"'],
  );
});
