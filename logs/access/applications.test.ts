import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { applications } from '../../contract/policy/applications.ts';
import { Policy } from '../../contract/policy/schema.ts';
import { packageRoot } from '../../platform/assets.ts';
import { ApplicationMarks } from './applications.ts';

const answered = (host: string | undefined, target: string) => ({
  ...{ method: 'GET', target, host, address: '192.0.2.7', status: 200, referrer: undefined, headers: [] },
});

function found(targets: readonly string[], policy: object = {}, host: string | undefined = 'app.example.com') {
  const marks = new ApplicationMarks();
  for (const target of targets) marks.add(answered(host, target));
  return marks.without(Policy.parse(policy)).map(({ product: _, ...row }) => row);
}

const host = 'app.example.com';

describe('applications in a log', () => {
  it('are found by two requests, below each usual base path', () => {
    assert.deepEqual(found(['/api/v1/repos/search', '/assets/img/gitea.svg']), [{ name: 'gitea', host }]);
    const below = found(['/git/api/v1/repos/search', '/git/assets/img/gitea.svg']);
    assert.deepEqual(below, [{ name: 'gitea', host, basePath: '/git' }]);
  });
  it('are not found by one request, or by requests that another application has too', () => {
    assert.deepEqual(found(['/assets/img/gitea.svg', '/assets/img/gitea.svg']), []);
    assert.deepEqual(found(['/api/v1/repos/search', '/explore/repos']), []);
  });
  it('are left out when the policy has their profile, or the host is not a host name', () => {
    const targets = ['/wp-admin/', '/wp-json/'];
    assert.deepEqual(found(targets, { applications: ['wordpress'] }), []);
    assert.deepEqual(found(targets, {}, '"><script>'), []);
    assert.deepEqual(found(targets), [{ name: 'wordpress', host }]);
  });
  it('are distinguished by the honest requests of each', () => {
    const lists = applications.map(({ name }) => {
      const text = readFileSync(join(packageRoot, `conformance/applications/routes/${name}.txt`), 'utf8');
      return { name, targets: text.split('\n').filter((line) => line.startsWith('/')) };
    });
    const wrong = lists.flatMap(({ name, targets }) =>
      found(targets).flatMap((one) =>
        one.name === name ? [] : [`${name} is taken for ${one.name} at ${one.basePath}`],
      ),
    );
    assert.deepEqual(wrong, []);
    const missed = lists.filter(({ name, targets }) => !found(targets).some((one) => one.name === name));
    assert.deepEqual(
      missed.map(({ name }) => name),
      // Forgejo and Gitea differ in their logo only, which their lists lack. The API of a registry has one path only.
      ['forgejo', 'gitea', 'registry'],
    );
  });
});
