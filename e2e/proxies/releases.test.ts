/** Sends the whole probe set to each supported release of the proxies. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createProbeSet } from '../../cli/probes/probe-set.ts';
import { failuresText } from '../../cli/probes/report.ts';
import { verdictVectors } from '../../cli/probes/sources/vectors.ts';
import { plain } from '../../cli/program/paint.ts';
import { Policy } from '../../contract/policy/schema.ts';
import { packageRoot } from '../../platform/assets.ts';
import { skip } from '../support/guardcli.ts';
import { sandboxOf } from '../support/sandbox-image.ts';
import { versionOf } from './host-version.ts';
import { serve } from './policies.ts';
import { releases } from './releases.ts';

const everything = Policy.parse({
  ...{ methods: ['*'], checkQuery: true, checkBody: true, checkHeaders: ['X-Original-URL'] },
  exceptions: [{ rules: ['env-file', 'hidden-seg'], path: '^/', hosts: ['files.test'] }],
});
const policies = [Policy.parse({}), everything, Policy.parse({ ...everything, mode: 'detect' })];

const documented = readFileSync(join(packageRoot, 'docs/parity.md'), 'utf8');

for (const { target, version, isRolling } of releases) {
  test(`${target.title} is of the documented version`, { skip }, async (t) => {
    const found = await versionOf(target.name, await sandboxOf(target));
    if (isRolling && found !== version) t.diagnostic(`${found} is newer than the documented ${version}`);
    else assert.equal(found, version);
    assert.ok(documented.includes(` | ${version} | `), version);
    const [, named = ''] = / (\d.*)/.exec(target.title) ?? [];
    assert.ok(version.startsWith(named), target.title);
  });

  test(`${target.title} passes every probe`, { skip }, async (t) => {
    for (const { setting, send } of await serve(t, target, policies)) {
      const report = await send(createProbeSet(setting, verdictVectors()));
      assert.equal(report.counts.failed, 0, failuresText(report, plain));
      t.diagnostic(JSON.stringify(report.counts));
    }
  });
}
