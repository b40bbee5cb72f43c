import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { freePort } from '../../platform/free-ports.ts';
import { changeable } from '../testing/changeable.ts';
import { configuration } from '../testing/daemon.ts';
import { requestReload } from './reload-client.ts';

type Api = NonNullable<DaemonFile['api']>;

/** Host names before and after the file was edited. */
const cases: Readonly<Record<string, { readonly host: string; readonly before: Api; readonly after?: Api }>> = {
  'a name that is not the address': { host: '127.0.0.1', before: { allowed_hosts: ['guard.example'] } },
  'all names of a domain': { host: '127.0.0.1', before: { allowed_hosts: ['*.guard.example'] } },
  'the default names, and another loopback address': { host: '127.0.0.2', before: {} },
  'a name that the edit adds': { host: '127.0.0.1', before: {}, after: { allowed_hosts: ['guard.example'] } },
  'a name before which the edit adds another': {
    host: '127.0.0.2',
    before: { allowed_hosts: ['guard.example'] },
    after: { allowed_hosts: ['other.example', 'guard.example'] },
  },
};

for (const [what, { host, before, after = before }] of Object.entries(cases))
  test(`requests a reload over TCP where allowed_hosts has ${what}`, async (t) => {
    const listen = `${host}:${await freePort()}`;
    const { write } = await changeable(t, { api: { listen, ...before }, services: {} });
    const api = { listen, ...after };
    write({ api, services: {} });
    const result = await requestReload(configuration({ api }));
    assert.deepEqual(result, { ok: true, changed: after === before ? [] : ['api.allowed_hosts'], problems: [] });
  });
