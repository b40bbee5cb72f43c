import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Policy, type PolicyFile } from '../../../contract/policy/schema.ts';
import { compile, type GuardRequest } from '../../../engine/index.ts';
import { fieldOf } from '../field.ts';
import { testWorld } from '../testing/world.ts';
import { changedParts } from './changed.ts';
import { explainTrace } from './explain.ts';
import { testLine } from './line.ts';
import { loadHosts } from './screen.ts';
import { fieldNames, type Host, type TryState } from './state.ts';

let hosts: readonly Host[] = [];
before(async () => {
  const { world, state } = testWorld();
  await loadHosts(world);
  hosts = state().try.hosts;
});

function typed(fields: Partial<Record<keyof TryState['fields'], string>>, policy: PolicyFile = {}) {
  const made = testWorld(policy);
  made.dispatch({ kind: 'try.hosts', hosts });
  for (const name of fieldNames) {
    made.dispatch({ kind: 'try.focus', focus: name });
    made.dispatch({ kind: 'try.edit', field: fieldOf(fields[name] ?? (name === 'method' ? 'GET' : '')) });
  }
  return made;
}

test('every key changes the verdict, the candidates and the command line', () => {
  const made = typed({});
  made.dispatch({ kind: 'try.focus', focus: 'path' });
  made.type('/a/..');
  assert.match(made.draw(), /✔ ALLOWED {2}no_match/);
  made.type('/');
  const text = made.draw();
  assert.match(text, /✖ BLOCKED 403 {2}block_pattern_match {2}path {2}trav-dotdot/);
  assert.match(text, /\n\$ guardcli test \/a\/..\/\n/);
  made.keys('backspace');
  assert.match(made.draw(), /✔ ALLOWED/);
});

test('shows what the guard in each proxy receives, and who refuses the request', () => {
  const text = typed({ path: '/a b' }).draw(120);
  for (const { title } of hosts) assert.match(text, new RegExp(`\n${title} `));
  assert.match(text, /nginx +refuses it itself with 400|Caddy +refuses it itself with 400/);
});

test('scrolls to the last line and not beyond, so that one key scrolls back', () => {
  const made = typed({ path: '/static/..%25252525252f..%25252525252f.env' });
  for (let count = 0; count < 50; count += 1) made.keys('page-down');
  const end = made.state().try.offset;
  assert.match(made.draw(), new RegExp(`↑ ${end} more`));
  assert.doesNotMatch(made.draw(), /↓/);
  made.keys('page-up');
  assert.equal(made.state().try.offset, end - 5);
  assert.match(made.draw(), /↓/);
});

test('does not scroll what fits, and nothing while the request is not valid', () => {
  for (const path of ['/', '/x y']) {
    const made = typed({ path });
    made.keys('page-down');
    assert.equal(made.state().try.offset, 0);
  }
});

test('shows the reason and the examples of the rule', () => {
  const text = typed({ path: '/.env' }).draw(140, 39);
  assert.match(text, /env-file {2}block, built-in/);
  assert.match(text, /matches +\//);
  assert.match(text, /not +\//);
});

test('shows a custom rule with its description', () => {
  const rules = [{ id: 'my-rule', action: 'block' as const, pattern: '^/x$', description: 'our reason' }];
  assert.match(typed({ path: '/x' }, { rules }).draw(140, 39), /my-rule {2}block, of the policy[\s\S]*our reason/);
});

test('reports an invalid request with what to do, and keeps the form', () => {
  const text = typed({ path: '/x', address: '10.0.0.0/8' }).draw();
  assert.match(text, /Address {2}10\.0\.0\.0\/8\n[\s\S]*is not an address[\s\S]*without port/);
});

test('escapes what is typed', () => {
  const made = typed({ path: '/\u202e%1b[2J', headers: 'X-A: \u009b' });
  assert.doesNotMatch(made.draw(), /[\u202e\u009b\x1b]/);
});

test('Enter separates headers', () => {
  const made = typed({}, { checkHeaders: ['X-Original-URL'] });
  made.dispatch({ kind: 'try.focus', focus: 'headers' });
  made.type('X-A: 1');
  made.keys('enter');
  made.type('X-Original-URL: /.env');
  assert.match(made.draw(), /BLOCKED 403 {2}block_pattern_match {2}header:x-original-url/i);
  assert.match(made.draw(140), /-H 'X-A: 1' -H 'X-Original-URL: \/\.env'/);
});

test('a wide terminal lists recent requests with their verdicts, and ^R opens them', () => {
  const made = typed({ path: '/.env?a=1' });
  made.keys('enter');
  made.dispatch({ kind: 'try.open', request: { method: 'GET', target: '/ok\u001b', headers: [] } });
  made.keys('enter');
  const text = made.draw(140, 39);
  assert.match(text, /Recent requests ─+\n.*✔ GET \/ok {2}typed\n.*✖ GET \/\.env\?a=1 {2}env-file {2}typed\n/);
  assert.doesNotMatch(made.draw(), /Recent requests/);
  made.keys('ctrl-r', 'ctrl-r');
  assert.equal(made.state().try.fields.path.text, '/.env?a=1');
  made.keys('ctrl-r');
  assert.equal(made.state().try.fields.path.text, '/ok');
});

test('says that there is no recent request', () => {
  const made = typed({});
  made.keys('ctrl-r');
  assert.match(made.draw(), /there is no recent request; Enter keeps one/);
});

test('opens a request with its host, headers and body', () => {
  const made = typed({});
  const headers = [['X-A', 'b']] as const;
  made.dispatch({
    kind: 'try.open',
    request: { method: 'POST', target: '/x?y', headers, host: 'h:1', body: 'z', ip: '192.0.2.1' },
  });
  assert.match(made.draw(140), /guardcli test '\/x\?y' -X POST -H 'Host: h:1' -H 'X-A: b' -b z --ip 192\.0\.2\.1\n/);
});

const policy = (file: PolicyFile): Policy => Policy.parse(file);
const request = (changes: Partial<GuardRequest>): GuardRequest => ({
  method: 'GET',
  target: '/',
  headers: [],
  ...changes,
});

const explained: readonly (readonly [string, PolicyFile, Partial<GuardRequest>, readonly RegExp[]])[] = [
  ['a match', {}, { target: '/.env' }, [/^path: candidate 1 matches env-file$/, /^blocked by env-file$/]],
  ['no match', {}, { target: '/x' }, [/^path: 1 candidate, no block rule matches$/, /^allowed: /]],
  ['an allow rule', {}, { target: '/robots.txt' }, [/1 excused by an allow rule$/, /^allowed by \S+: /]],
  ['a method', {}, { method: 'POST', target: '/.env' }, [/^the method is not inspected$/, /passed on$/]],
  ['an address', { allowedIps: ['192.0.2.1'] }, { ip: '192.0.2.1' }, [/allowedIps$/, /passed on$/]],
  ['a disabled policy', { enabled: false }, {}, [/not enabled/, /passed on$/]],
  ['detect mode', { mode: 'detect' }, { target: '/.env' }, [/matches/, /only reported: mode is detect$/]],
  [
    'values after the match',
    { checkQuery: true },
    { target: '/.env?a=b' },
    [/candidate 1 matches/, /later values? not needed$/, /^blocked/],
  ],
  [
    'an exception',
    { exceptions: [{ rules: ['env-file', 'hidden-seg'], path: '^/\\.env$' }] },
    { target: '/.env' },
    [/^exceptions\[0\] turns off env-file, hidden-seg$/, /no block rule matches/, /^allowed/],
  ],
];

for (const [name, file, changes, steps] of explained)
  test(`explains ${name}`, () => {
    const resolved = policy(file);
    const lines = explainTrace(compile(resolved).trace(request(changes)), resolved);
    assert.equal(lines.length, steps.length, lines.join('\n'));
    for (const [index, step] of steps.entries()) assert.match(lines[index] ?? '', step);
  });

const changes: readonly (readonly [string, string, readonly string[]])[] = [
  ['/a%2fb', '/a/b', ['/a', '/', 'b']],
  ['/a', '/a', ['/a', '', '']],
  ['/a/../b', '/b', ['/', 'b', '']],
  ['', 'abc', ['', 'abc', '']],
  ['abc', '', ['', '', '']],
  ['/aa', '/a', ['/', 'a', '']],
];

for (const [one, two, parts] of changes)
  test(`marks what changed from ${one || 'nothing'} to ${two || 'nothing'}`, () =>
    assert.deepEqual(changedParts(one, two), parts));

test('writes the command line with the options that are set', () => {
  assert.equal(testLine({ path: '/', method: 'GET' }, null), 'guardcli test /');
  assert.equal(
    testLine({ path: "/a'b", method: 'POST', query: 'x=y', header: ['A: b'], body: '{}', ip: '::1' }, 'my guard.json'),
    `guardcli test '/a'\\''b' -q x=y -X POST -H 'A: b' -b '{}' --ip ::1 -c 'my guard.json'`,
  );
  assert.equal(testLine({ path: '--help' }, null), 'guardcli test --path --help');
});
