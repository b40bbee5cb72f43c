/** Operations of the management API as clients see them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as z from 'zod/mini';
import type { Operation } from '../../contract/api/operation.ts';
import { operations } from '../../contract/api/operations.ts';
import { ErrorAnswer } from '../../contract/api/records.ts';
import { feed } from './testing/feed.ts';
import { errorOf, post, start } from './testing/running-api.ts';

test('responses match the schemas of their operations, at the root and under /api', async (t) => {
  const { url } = await start(t, { control: { feed } });
  for (const { method, path, answer } of Object.values(operations) as Operation[]) {
    if (method !== 'GET' || !answer.schema) continue;
    const target = path === '/why' ? `${path}?ip=192.0.2.7` : path;
    const [own, alias] = await Promise.all([fetch(url + target), fetch(`${url}/api${target}`)]);
    assert.deepEqual([own.status, alias.status], [200, 200], path);
    assert.equal(own.headers.get('content-type'), 'application/json');
    const body = await own.json();
    assert.deepEqual((answer.schema as z.ZodMiniType).parse(body), body, path);
  }
});

test('counts reported failures for services that exist', async (t) => {
  const { url } = await start(t);
  const report = async (body: unknown) => (await post(`${url}/report`, body)).json();
  assert.deepEqual(await report({ ip: '192.0.2.7', reason: 'failed login' }), { ip: '192.0.2.7', banned: false });
  assert.deepEqual(await report({ ip: '192.0.2.99', service: 'ssh', reason: 'x' }), { ip: '192.0.2.99', banned: true });
  const found = await errorOf(await post(`${url}/report`, { ip: '192.0.2.7', service: 'web', reason: 'x' }));
  assert.deepEqual(found, [404, 'no_service', 'there is no service "web"']);
});

test('a configuration with errors changes nothing, and the response lists all errors', async (t) => {
  const problem = {
    kind: 'bad_value',
    path: 'api.listen',
    line: 3,
    column: 11,
    message: 'expected an address',
  } as const;
  let problems: readonly (typeof problem)[] = [];
  const requesters: string[] = [];
  const reload = async (requester: string) => {
    requesters.push(requester);
    return (
      problems.length > 0
        ? { ok: false, problems }
        : { ok: true, changed: ['services.ssh'], restart: ['global.workers'], problems: ['a'] }
    ) as never;
  };
  const { url } = await start(t, { control: { reload } });
  const agent = `${'\u009b31m'}${'x'.repeat(100)}`;
  const good = await fetch(`${url}/reload`, { method: 'POST', headers: { 'user-agent': agent } });
  assert.deepEqual(requesters, [`POST /reload from 127.0.0.1 (\\x9b31m${'x'.repeat(60)})`]);
  assert.deepEqual(
    [good.status, await good.json()],
    [200, { changed: ['services.ssh'], restart: ['global.workers'], problems: ['a'] }],
  );
  problems = [problem, problem];
  const bad = await fetch(`${url}/reload`, { method: 'POST' });
  const { error: found } = ErrorAnswer.parse(await bad.json());
  const { kind, ...shown } = problem;
  assert.deepEqual([bad.status, found.code, found.problems], [422, 'invalid_configuration', [shown, shown]]);
});

const badBodies: Record<string, [body: string, expected: RegExp]> = {
  'an empty body': ['', /the body is missing/],
  'invalid JSON': ['{ip: 1}', /a key in double quotes/],
  'truncated JSON': ['{"ip":', /^expected a value, found the end of the body$/],
  'JSON and more': ['{} {}', /^expected the end of the body, found "{"$/],
  'only white space': ['\n', /^the body is empty \(an object is expected\)$/],
  'a byte order mark': ['\ufeff{}', /byte order mark \(send it without one\)/],
  'not an object': ['[]', /^expected an object, found an empty list \(write an object: \{\.\.\.\}\)$/],
  null: ['null', /^expected an object, found null \(write an object: \{\.\.\.\}\)$/],
  'a text of another program': ['[sshd]\nenabled = true', /^expected a value, found "sshd"/],
  'a key of a label': ['{"ip":"192.0.2.1","labels":1}', /unknown key "labels" \(the keys here are ip, /],
  'a duplicate key': ['{"ip":"192.0.2.1","ip":"192.0.2.2"}', /first at 1:2/],
  'an unknown key': ['{"ip":"192.0.2.1","durations":"1h"}', /unknown key "durations" \(did you mean "duration"\?\)/],
  'a number for a duration': ['{"ip":"192.0.2.1","duration":3600}', /duration: expected text, found 3600/],
  'a duration without unit': ['{"ip":"192.0.2.1","duration":"3600"}', /duration: expected a duration such as 30s/],
  'a duration of zero': ['{"ip":"192.0.2.1","duration":"0s"}', /duration: expected/],
  'a duration beyond a year': ['{"ip":"192.0.2.1","duration":"366d"}', /duration: expected/],
  'a reason of two lines': ['{"ip":"192.0.2.1","reason":"a\\nb"}', /reason: expected 1 to 200 characters/],
  'deep nesting': [`${'['.repeat(1000)}${']'.repeat(1000)}`, /the nesting is deeper/],
};

test('refuses an invalid body and says what was expected', async (t) => {
  const { url } = await start(t);
  for (const [name, [body, expected]] of Object.entries(badBodies)) {
    const [status, code, message] = await errorOf(await post(`${url}/ban`, body));
    assert.deepEqual([status, code], [400, 'bad_body'], name);
    assert.match(message, expected, name);
    assert.doesNotMatch(message, /file|policy|dash|indent|Caddy/, name);
  }
});

const badQueries = {
  '?limit=0': 'limit: expected a whole number from 1 to 1000, found "0"',
  '?limit=1e2': 'limit: expected a whole number from 1 to 1000, found "1e2"',
  '?limit=1&limit=2': '"limit" is given twice',
  '?origin=me': 'origin: expected one of local, crowdsec, all, found "me"',
  '?__proto__=1': 'there is no parameter "__proto__"',
  '?ip=%ff': 'a parameter is not URL-encoded UTF-8',
};

test('refuses an invalid query', async (t) => {
  const { url } = await start(t);
  for (const [query, message] of Object.entries(badQueries))
    assert.deepEqual(await errorOf(await fetch(`${url}/banlist${query}`)), [400, 'bad_query', message]);
});

test('writes an internal error to the log and not to the client', async (t) => {
  const services = () => {
    throw new Error('secret detail');
  };
  const { url, control } = await start(t, { control: { services } });
  assert.deepEqual(await errorOf(await fetch(`${url}/services`)), [
    500,
    'internal',
    'Internal error of the daemon; see its log.',
  ]);
  assert.match(control.faults.join(), /secret detail/);
});
