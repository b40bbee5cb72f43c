/** Requests of applications against the standard and the extended rules, with and without their profiles. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { readProfiles } from '../../contract/generate/profile-table.ts';
import { expandApplication, fileCategories, fileRules } from '../../contract/policy/applications.ts';
import { builtInRules } from '../../contract/policy/builtin-rules.ts';
import { limits } from '../../contract/policy/limits.ts';
import { Policy, type PolicyFile } from '../../contract/policy/schema.ts';
import { byteLength } from '../../contract/schema/fields.ts';
import { compile, type Guard, type GuardRequest } from '../../engine/index.ts';
import { packageRoot } from '../../platform/assets.ts';
import { nearMissesOf } from './near-misses.ts';

const profiles = readProfiles(pathToFileURL(join(packageRoot, 'contract/policy/applications/')));
const host = 'app.test';
const sizes = ['standard', 'extended'] as const;

function guardWith(builtinRules: (typeof sizes)[number], applications: PolicyFile['applications'] = []): Guard {
  const headers = { checkHeaders: ['X-Original-URL'] };
  return compile(Policy.parse({ methods: ['*'], checkQuery: true, ...headers, builtinRules, applications }));
}

/** Returns the rule that blocks, or `allowed`. */
function verdictOf(guard: Guard, request: Pick<GuardRequest, 'target'> & Partial<GuardRequest>): string {
  const { verdict, rule, reason } = guard.evaluate({ method: 'GET', headers: [], ...request });
  return verdict === 'allowed' ? verdict : (rule ?? reason);
}

/** Honest targets of an application, and those that stay blocked: the lines with an exclamation mark. */
function targetsOf(name: string): { honest: string[]; blocked: string[] } {
  const lines = readFileSync(join(packageRoot, `conformance/applications/routes/${name}.txt`), 'utf8').split('\n');
  const honest = lines.filter((line) => line.startsWith('/'));
  return { honest, blocked: lines.filter((line) => line.startsWith('! ')).map((line) => line.slice(2)) };
}

for (const profile of profiles) {
  const { name, basePaths, passages } = profile;
  describe(`the profile of ${profile.product}`, () => {
    for (const basePath of basePaths)
      for (const size of sizes)
        it(`lets every honest request through below ${basePath}, ${size}`, () => {
          const guard = guardWith(size, [{ name, basePath, hosts: [host] }]);
          const base = basePath.replace(/\/$/, '');
          const { honest, blocked } = targetsOf(name);
          const verdict = (target: string) => verdictOf(guard, { target: base + target, host });
          assert.deepEqual(
            honest.filter((target) => verdict(target) !== 'allowed').map((target) => [verdict(target), target]),
            [],
          );
          for (const target of blocked) assert.notEqual(verdict(target), 'allowed', target);
        });

    it('lets its examples through, and nothing that resembles them', () => {
      const basePath = basePaths.at(-1) as string;
      const base = basePath.replace(/\/$/, '');
      const [guard, without] = [guardWith('extended', [{ name, basePath, hosts: [host] }]), guardWith('extended')];
      for (const example of passages.flatMap(({ examples }) => examples)) {
        assert.equal(verdictOf(guard, { target: base + example, host }), 'allowed', example);
        const { climbs, elsewhere } = nearMissesOf(example, basePath, host);
        for (const { description, request } of climbs)
          assert.notEqual(verdictOf(guard, request), 'allowed', `${example}: ${description}`);
        for (const { description, request } of elsewhere)
          assert.equal(verdictOf(guard, request), verdictOf(without, request), `${example}: ${description}`);
      }
    });

    it('needs each passage: without it the extended rules block an example', () => {
      const without = guardWith('extended');
      for (const { path, examples } of passages)
        for (const example of examples) {
          const blocked = basePaths.some(
            (basePath) => verdictOf(without, { target: basePath.replace(/\/$/, '') + example, host }) !== 'allowed',
          );
          assert.ok(blocked, `${path}: ${example}`);
        }
    });

    it('names only rules about names of files', () => {
      const files = new Set(fileRules);
      for (const { rules } of passages)
        if (rules !== 'files')
          assert.deepEqual(
            rules.filter((id) => !files.has(id)),
            [],
          );
    });
  });
}

describe('profiles', () => {
  it('never contain a rule about traversal, encodings, attacks or exploits', () => {
    const attacks = ['traversal', 'encoding', 'os', 'exploit', 'injection'];
    assert.deepEqual(
      attacks.filter((category) => fileCategories.includes(category)),
      [],
    );
    const categories = new Set(builtInRules.filter(({ action }) => action === 'block').map(({ category }) => category));
    assert.deepEqual([...categories].sort(), [...fileCategories, ...attacks].sort());
  });

  it('stay within the patterns that a policy may have', () => {
    const longest = `/${'x'.repeat(126)}/`;
    const bytes = profiles.map(({ name }) =>
      expandApplication({ name, basePath: longest, hosts: [] }).reduce((sum, { path }) => sum + byteLength(path), 0),
    );
    assert.ok(Math.max(...bytes) * limits.policyApplications <= limits.policyPatternBytes);
  });

  it('expand to exceptions that a policy may have', () => {
    for (const { name } of profiles) {
      const exceptions = expandApplication({ name, basePath: '/a.b~c', hosts: ['*.example.org'] });
      assert.deepEqual(Policy.safeParse({ exceptions }).error?.issues, undefined, name);
    }
  });
});
