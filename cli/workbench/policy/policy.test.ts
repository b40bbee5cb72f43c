import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadPolicy } from '../../../contract/load/policy.ts';
import { Policy } from '../../../contract/policy/schema.ts';
import { until } from '../../../platform/testing/until.ts';
import type { Context } from '../../program/context.ts';
import { scratch } from '../../testing/scratch.ts';
import { fieldOf } from '../field.ts';
import { ruleInfos } from '../rules.ts';
import { noFile, testWorld } from '../testing/world.ts';
import { lineDiff } from './line-diff.ts';
import { foundRules, type PolicyAction } from './state.ts';
import { switchOff } from './switch-off.ts';
import { watchPolicy } from './watch.ts';
import { changeFile, reverseChange } from './write.ts';

type Read = Extract<PolicyAction, { kind: 'policy.read' }>;

function read(text: string, name = 'guard.json'): Read {
  const loaded = loadPolicy(Buffer.from(text), name);
  const file = { ...noFile, name, text };
  if (loaded.ok) return { kind: 'policy.read', file: { ...file, warnings: loaded.warnings }, policy: loaded.value };
  return {
    kind: 'policy.read',
    file: { ...file, problems: loaded.problems, omitted: loaded.omitted },
    policy: undefined,
  };
}

function opened(text = '{}') {
  const made = testWorld();
  made.dispatch({ kind: 'screen', name: 'policy' });
  made.dispatch(read(text));
  return made;
}

test('shows problems at their line and keeps the last valid policy', () => {
  const made = opened('{"mode": "detect"}');
  made.dispatch(read('{\n  "moed": "detect"\n}'));
  const text = made.draw();
  assert.match(text, /guard\.json: 1 problem; the last valid policy applies/);
  assert.match(text, /2:3 +moed .*\(did you mean "mode"\?\)/i);
  assert.equal(made.state().policy.policy.mode, 'detect');
});

test('shows the plain command that shows the same', () => {
  const made = opened();
  assert.match(made.draw(), /^\$ guardcli validate guard\.json$/m);
  made.dispatch({ kind: 'policy.query', query: fieldOf('env-file') });
  assert.match(made.draw(), /^\$ guardcli explain env-file -c guard\.json$/m);
  made.dispatch({ kind: 'policy.toggle' });
  assert.match(made.draw(), /^\$ guardcli explain env-file -c guard\.json$/m);
  made.dispatch(read('{'));
  assert.match(made.draw(), /^\$ guardcli validate guard\.json$/m);
});

test('shows warnings and the summary of a valid file', () => {
  const text = opened('{"allowPatterns": ["."]}').draw(200, 39);
  assert.match(text, /guard\.json: valid, 2 warnings/);
  assert.match(text, /block patterns \d+ built-in active, 0 custom · allow rules/);
  assert.match(text, /1:\d+ +allowPatterns/);
});

test('finds rules by words, and shows reason, examples and hits of the selected one', () => {
  const made = opened();
  made.dispatch({
    kind: 'recent.add',
    request: { method: 'GET', target: '/.env', headers: [] },
    source: 'caddy',
    rule: 'env-file',
  });
  made.keys('/');
  made.type('env-file');
  made.keys('enter');
  const text = made.draw(140, 39);
  assert.match(text, /Rules 1\/\d+/);
  assert.match(text, /env-file +1 hit/);
  assert.match(text, /matches +\//);
  made.keys('/', 'z', 'z', 'z', 'q', 'q');
  assert.match(made.draw(), /no rule has these words/);
});

test('lists rules first that have the words in their id', () => {
  const made = opened();
  made.type('/env');
  assert.match(foundRules(made.state().policy)[0]?.id ?? '', /env/);
});

test('keeps the found rules after Enter, and clears the search with Esc', () => {
  const made = opened();
  made.type('/env-file');
  assert.match(made.draw(), / Esc clear the search/);
  made.keys('enter');
  assert.equal(made.state().policy.query.text, 'env-file');
  assert.match(made.draw(), /Esc clear the search/);
  made.keys('escape');
  assert.equal(made.state().policy.query.text, '');
  assert.doesNotMatch(made.draw(), /Esc clear/);
});

test('searches for text that arrives together with the key of the search', () => {
  const made = opened();
  made.type('/env-file');
  assert.equal(made.state().policy.query.text, 'env-file');
});

test('moves the selection within the rules and keeps it visible', () => {
  const made = opened();
  made.keys('up');
  assert.equal(made.state().policy.selected, 0);
  for (let count = 0; count < 40; count += 1) made.keys('page-down');
  const all = ruleInfos(made.state().policy.policy);
  assert.equal(made.state().policy.selected, all.size - 1);
  assert.ok(made.draw().includes([...all.keys()].at(-1) ?? '?'));
});

test('scrolls the details to their last line and not beyond, so that one key scrolls back', () => {
  const made = opened('{\n  "mode": "enforce"\n}\n');
  for (let index = 0; index < 60; index += 1)
    made.dispatch({
      kind: 'recent.add',
      request: { method: 'GET', target: `/${index}/.env`, headers: [] },
      source: 'typed',
      rule: undefined,
    });
  made.keys('/');
  made.type('env-file');
  made.keys('enter', 'x');
  for (let count = 0; count < 100; count += 1) made.keys('right');
  const end = made.state().policy.offset;
  assert.match(made.draw(), new RegExp(`↑ ${end} more`));
  made.keys('left');
  assert.equal(made.state().policy.offset, end - 5);
});

test('shows which recent requests a rule decides, and the change of the file', () => {
  const made = opened('{\n  "mode": "enforce"\n}\n');
  for (const target of ['/static/../x', '/ok'])
    made.dispatch({
      kind: 'recent.add',
      request: { method: 'GET', target, headers: [] },
      source: 'typed',
      rule: undefined,
    });
  made.keys('/');
  made.type('trav-dotdot');
  made.keys('enter', 'x');
  const text = made.draw(140, 39);
  assert.match(text, /another verdict: 0 of 2 recent requests/);
  assert.match(text, /still blocked GET \/static\/\.\.\/x typed, trav-enc/);
  assert.match(text, /\+ {3}"disabledRules": \["trav-dotdot"\],/);
});

const edits: readonly (readonly [name: string, text: string, id: string, after: string])[] = [
  ['no file', '', 'env-file', '{\n  "disabledRules": ["env-file"],\n  "checkQuery": true\n}\n'],
  ['an empty policy', '{}', 'env-file', '{\n  "disabledRules": ["env-file"]\n}'],
  ['one line', '{"mode":"detect"}', 'env-file', '{"disabledRules": ["env-file"], "mode":"detect"}'],
  ['an empty list', '{"disabledRules": []}', 'env-file', '{"disabledRules": ["env-file"]}'],
  ['a list', '{"disabledRules": ["vcs"]}', 'env-file', '{"disabledRules": ["vcs", "env-file"]}'],
  [
    'a list of lines',
    '{\n  "disabledRules": [\n    "hidden-seg"\n  ]\n}',
    'env-file',
    '{\n  "disabledRules": [\n    "hidden-seg",\n    "env-file"\n  ]\n}',
  ],
  ['the first custom pattern', '{"blockPatterns": ["a", "b"]}', 'block[0]', '{"blockPatterns": ["b"]}'],
  ['the last custom pattern', '{"blockPatterns": ["a", "b,]"]}', 'block[1]', '{"blockPatterns": ["a"]}'],
  ['the only custom pattern', '{"allowPatterns": ["a"]}', 'allow[0]', '{"allowPatterns": []}'],
  [
    'a custom rule',
    '{"rules": [{"id": "r1", "action": "block", "pattern": "]}"}, {"id": "r2", "action": "allow", "pattern": "x"}]}',
    'r2',
    '{"rules": [{"id": "r1", "action": "block", "pattern": "]}"}]}',
  ],
];

for (const [name, text, id, after] of edits)
  test(`edits the text of the file: ${name}`, () => {
    const before = text.replace('"vcs"', '"hidden-seg"');
    const loaded = loadPolicy(Buffer.from(before || '{}'), 'x');
    assert.ok(loaded.ok);
    const rule = ruleInfos(loaded.value).get(id);
    assert.ok(rule);
    const change = switchOff(before, rule);
    assert.ok(change.ok);
    assert.equal(change.text, after.replace('"vcs"', '"hidden-seg"'));
    assert.equal(ruleInfos(change.policy).size, ruleInfos(loaded.value).size - 1);
  });

test('refuses to edit a file that would not be valid afterwards', () => {
  const rule = ruleInfos(Policy.parse({})).get('env-file');
  assert.ok(rule);
  assert.deepEqual(switchOff('{"mode": ', rule), {
    ok: false,
    reason: 'the file is not JSON without problems: fix it first',
  });
});

test('the diff has the changed lines, those around them, and dots for others', () => {
  const signs = { same: ' ', removed: '-', added: '+' };
  const diff = (before: string, after: string): string =>
    lineDiff(before, after)
      .map(({ kind, text: line }) => signs[kind] + line)
      .join('\n');
  assert.equal(diff('a\nb\nc\nd\ne\nf\n', 'a\nb\nc\nX\nY\ne\nf\n'), ' a\n b\n c\n-d\n+X\n+Y\n e\n f');
  assert.equal(
    diff('1\n2\n3\n4\n5\n6\n7\n8\n9\n', '1\n2\n3\n4\n6\n7\n8\n9\n'),
    ' ...\n 2\n 3\n 4\n-5\n 6\n 7\n 8\n ...',
  );
});

test('the diff of a small file ends with its closing brace', () => {
  const before = '{\n  "checkQuery": true,\n  "mode": "enforce"\n}\n';
  const diff = lineDiff(before, before.replace('{', '{\n  "disabledRules": ["env-file"],'));
  assert.equal(diff.at(-1)?.text, '}');
});

test('follows a file that is written, half-written, replaced, deleted and created', async (t) => {
  const cwd = scratch();
  const path = join(cwd, 'guard.json');
  const context = { cwd, env: {}, signal: new AbortController().signal } as unknown as Context;
  const { initial, start, close } = await watchPolicy(undefined, context);
  t.after(close);
  assert.equal(initial.file.name, null);
  assert.equal(initial.policy.checkQuery, true);
  const reads: Read[] = [];
  start((action) => void (action.kind === 'policy.read' && reads.push(action)));
  const last = (): Read | undefined => reads.at(-1);
  writeFileSync(path, '{"mode": "detect"}');
  await until(() => last()?.policy?.mode === 'detect', 'created');
  writeFileSync(path, '{"mode": "det');
  await until(() => last()?.file.problems.length === 1, 'half-written');
  assert.equal(last()?.policy, undefined);
  writeFileSync(join(cwd, 'new'), '{"mode": "enforce"}');
  renameSync(join(cwd, 'new'), path);
  await until(() => last()?.policy?.mode === 'enforce', 'replaced');
  rmSync(path);
  await until(() => /no such file/.test(last()?.file.unreadable ?? ''), 'deleted');
  mkdirSync(path);
  await until(() => /folder/.test(last()?.file.unreadable ?? ''), 'a folder');
  rmSync(path, { recursive: true });
  writeFileSync(path, '{}');
  await until(() => last()?.policy !== undefined, 'created again');
});

test('reads no pipe, and the file that replaces it', async (t) => {
  const cwd = scratch();
  const path = join(cwd, 'guard.json');
  execFileSync('mkfifo', [path]);
  const context = { cwd, env: {}, signal: new AbortController().signal } as unknown as Context;
  const { initial, start, close } = await watchPolicy(undefined, context);
  t.after(close);
  assert.match(initial.file.unreadable ?? '', /^cannot read guard\.json: not a regular file$/);
  let mode: string | undefined;
  start((action) => {
    if (action.kind === 'policy.read') mode = action.policy?.mode;
  });
  writeFileSync(join(cwd, 'new'), '{"mode": "detect"}');
  renameSync(join(cwd, 'new'), path);
  await until(() => mode === 'detect');
});

test('a change between the first read and the start is read', async (t) => {
  const cwd = scratch({ 'guard.json': '{}' });
  const context = { cwd, env: {}, signal: new AbortController().signal } as unknown as Context;
  const { start, close } = await watchPolicy(undefined, context);
  t.after(close);
  writeFileSync(join(cwd, 'guard.json'), '{"mode": "detect"}');
  let mode: string | undefined;
  start((action) => {
    if (action.kind === 'policy.read') mode = action.policy?.mode;
  });
  await until(() => mode === 'detect');
});

test('follows a file in a folder that does not exist yet', async (t) => {
  const cwd = scratch();
  const context = { cwd, env: {}, signal: new AbortController().signal } as unknown as Context;
  const { initial, start, close } = await watchPolicy('later/guard.json', context);
  t.after(close);
  assert.match(initial.file.unreadable ?? '', /no such file/);
  let mode: string | undefined;
  start((action) => {
    if (action.kind === 'policy.read') mode = action.policy?.mode;
  });
  mkdirSync(join(cwd, 'later'));
  writeFileSync(join(cwd, 'later', 'guard.json'), '{"mode": "detect"}');
  await until(() => mode === 'detect');
});

test('replaces a file with its permissions, and refuses one that has changed', () => {
  const cwd = scratch({ 'real.json': 'old' });
  const path = join(cwd, 'real.json');
  chmodSync(path, 0o662);
  symlinkSync('real.json', join(cwd, 'a.json'));
  changeFile({ name: 'a.json', before: 'old', after: 'new' }, { cwd });
  assert.deepEqual([readFileSync(path, 'utf8'), statSync(path).mode & 0o777], ['new', 0o662]);
  assert.ok(lstatSync(join(cwd, 'a.json')).isSymbolicLink());
  const refused = (before: string | undefined, after: string | undefined, reason: RegExp) =>
    assert.throws(() => changeFile({ name: 'a.json', before, after }, { cwd }), reason);
  refused('old', 'newer', /changed while it was edited/);
  refused(undefined, 'newer', /cannot write .*a\.json: EEXIST/);
  refused('old', undefined, /changed while it was edited/);
  assert.equal(readFileSync(path, 'utf8'), 'new');
  const created = { name: 'b.json', before: undefined, after: '{}' };
  changeFile(created, { cwd });
  assert.equal(readFileSync(join(cwd, 'b.json'), 'utf8'), '{}');
  changeFile(reverseChange(created), { cwd });
  assert.equal(existsSync(join(cwd, 'b.json')), false);
});

/** Opens the screen with a real file, which has this text. */
function withFile(text: string) {
  const cwd = scratch({ 'guard.json': text });
  const edited: (readonly [string, number])[] = [];
  const edit = async (file: string, line: number) => void edited.push([file, line]);
  const made = testWorld({}, { context: { cwd } as Context, edit });
  made.dispatch({ kind: 'screen', name: 'policy' });
  made.dispatch(read(text));
  return { ...made, edited, cwd, file: () => readFileSync(join(cwd, 'guard.json'), 'utf8') };
}

test('asks before it writes, and undoes the last change', () => {
  const made = withFile('{"mode":"detect"}');
  made.keys('w');
  assert.match(made.draw(), /switch a rule off first/);
  made.keys('/');
  made.type('env-file');
  made.keys('enter', 'x', 'w');
  assert.match(made.draw(), /\nWrite guard\.json without env-file\? y: yes, n: no\n/);
  made.keys('n');
  assert.equal(made.file(), '{"mode":"detect"}');
  made.keys('w', 'y');
  assert.equal(made.file(), '{"disabledRules": ["env-file"], "mode":"detect"}');
  assert.match(made.draw(), /no longer has env-file; z undoes this\n.*\nz undo /);
  made.keys('z');
  assert.equal(made.file(), '{"mode":"detect"}');
});

test('undoes nothing when the file has changed since', () => {
  const made = withFile('{}');
  made.keys('x', 'w', 'y');
  writeFileSync(join(made.cwd, 'guard.json'), '{"mode":"detect"}');
  made.keys('z');
  assert.match(made.draw(), /changed while it was edited/);
  assert.equal(made.file(), '{"mode":"detect"}');
});

const places: readonly (readonly [name: string, text: string, words: string, line: number])[] = [
  ['a problem', '{\n  "mode": "x"\n}', '', 2],
  ['a custom rule', '{\n  "rules": [\n    {"id": "r1", "action": "block", "pattern": "x"}\n  ]\n}', 'r1', 3],
  ['a custom pattern', '{\n  "blockPatterns": [\n    "a",\n    "zzz"\n  ]\n}', 'zzz', 4],
  [
    'a built-in rule',
    '{\n  "mode": "detect",\n  "disabledRules": ["vcs"]\n}'.replace('vcs', 'hidden-seg'),
    'env-file',
    3,
  ],
  ['a file without the list', '{\n  "mode": "detect"\n}', 'env-file', 1],
];
for (const [name, text, words, line] of places)
  test(`opens the editor at the line of ${name}`, () => {
    const made = withFile(text);
    made.dispatch({ kind: 'policy.query', query: fieldOf(words) });
    made.keys('e');
    assert.deepEqual(made.edited, [[join(made.cwd, 'guard.json'), line]]);
  });

const cases = (rule: string): string =>
  `cases:\n  - name: a file\n    request: {path: /.env}\n    expect: {verdict: blocked, rule: ${rule}}\n`;

test('a wide terminal shows the coverage of the cases, and runs them after each change', async (t) => {
  const exempted = '{"exceptions":[{"rules":["bak-ext"],"path":"^/a$"}]}';
  const cwd = scratch({ 'guard.json': exempted });
  const made = testWorld();
  made.dispatch({ kind: 'screen', name: 'policy' });
  const context = { cwd, env: {}, now: Date.now, signal: new AbortController().signal } as unknown as Context;
  const watched = await watchPolicy(undefined, context);
  t.after(watched.close);
  made.dispatch(read(exempted));
  watched.start(made.dispatch);
  assert.match(made.draw(140, 39), /no cases\.yaml here/);
  writeFileSync(join(cwd, 'cases.yaml'), cases('env-file'));
  await until(() => typeof made.state().policy.suite === 'object', 'the cases');
  made.dispatch({ kind: 'policy.query', query: fieldOf('env-file') });
  const text = made.draw(140, 39);
  assert.match(text, /\n✖ env-file +● /);
  assert.match(text, /0 % of \d+ rules and 1 exception hit/);
  assert.match(text, /env-file: a case hits it/);
  assert.match(text, /1 passed/);
  writeFileSync(join(cwd, 'cases.yaml'), cases('trav-dotdot'));
  await until(() => /1 failed/.test(made.draw(140, 39)), 'the failure');
  assert.match(made.draw(140, 39), /✖ a file[\s\S]*GET \/\.env[\s\S]*expected blocked by trav-dotdot, got/);
  writeFileSync(join(cwd, 'cases.yaml'), 'cases: {}\n');
  await until(() => typeof made.state().policy.suite === 'string', 'the error');
  assert.match(made.draw(140, 39), /cases\.yaml/);
});
