import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { ExternalError, UsageError } from '../../platform/errors.ts';
import { startHash, withWriteErrors, writeFiles } from './files.ts';
import { createPassword, readPassword } from './password.ts';

type Content = Readonly<Record<string, string>>;

function fill(root: string, content: Content): void {
  for (const [path, text] of Object.entries(content)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function folders(t: TestContext, shipped: Content) {
  const root = mkdtempSync(join(tmpdir(), 'guard files-'));
  t.after(() => rmSync(root, { recursive: true }));
  const [source, dir] = [join(root, 'ours'), join(root, 'of the user/stack')];
  fill(source, shipped);
  const write = (force = false) => writeFiles(dir, force, source);
  const read = (path: string) => readFileSync(join(dir, path), 'utf8');
  return { source, dir, write, read };
}

describe('the files of the stack', () => {
  it('are written once, readable for the users of the containers whatever the umask is', (t) => {
    const before = process.umask(0o077);
    t.after(() => process.umask(before));
    const { dir, write, read } = folders(t, { 'compose.yaml': 'a', 'loki/loki.yaml': 'b' });
    assert.deepEqual(write(), { written: ['compose.yaml', 'loki/loki.yaml'], kept: [] });
    assert.equal(read('loki/loki.yaml'), 'b');
    assert.equal(statSync(join(dir, 'loki')).mode & 0o777, 0o755);
    assert.equal(statSync(join(dir, 'loki/loki.yaml')).mode & 0o777, 0o644);
    assert.deepEqual(write(), { written: [], kept: [] });
  });

  it('do without a list of earlier files that is not one, and leave what is outside of the folder', (t) => {
    const { source, dir, write, read } = folders(t, { 'a.yaml': '1' });
    const outside = join(source, '../outside');
    writeFileSync(outside, '');
    const hash = createHash('sha256').update('').digest('hex');
    const paths = ['../../outside', '..\\..\\outside', outside].map((path) => [path, hash]);
    for (const list of ['null', '5', '[]', '{"a.yaml":5}', JSON.stringify(Object.fromEntries(paths))]) {
      fill(dir, { '.guard-files.json': list });
      write();
      assert.equal(read('a.yaml'), '1');
      assert.ok(existsSync(outside));
    }
  });
});

describe('the files of a newer version', () => {
  it('replace those of the older one', (t) => {
    const { source, write, read } = folders(t, { 'a.yaml': '1' });
    write();
    fill(source, { 'a.yaml': '2' });
    assert.deepEqual(write(), { written: ['a.yaml'], kept: [] });
    assert.equal(read('a.yaml'), '2');
  });

  it('are kept where the user changed them, through newer versions, until they are forced', (t) => {
    const { source, dir, write, read } = folders(t, { 'a.yaml': '1', 'b.yaml': '1' });
    write();
    fill(dir, { 'a.yaml': 'mine' });
    assert.deepEqual(write(), { written: [], kept: ['a.yaml'] });
    fill(source, { 'a.yaml': '2', 'b.yaml': '2' });
    assert.deepEqual(write(), { written: ['b.yaml'], kept: ['a.yaml'] });
    assert.equal(read('a.yaml'), 'mine');
    assert.deepEqual(write(true), { written: ['a.yaml'], kept: [] });
    assert.equal(read('a.yaml'), '2');
  });

  it('are kept where a file of the same name was there before', (t) => {
    const { dir, write } = folders(t, { 'a.yaml': '1' });
    fill(dir, { 'a.yaml': 'of another program' });
    assert.deepEqual(write(), { written: [], kept: ['a.yaml'] });
  });

  it('are removed when a newer version has them no longer, unless the user changed them', (t) => {
    const { source, dir, write } = folders(t, { 'old.json': '1', 'changed.json': '1', 'a.yaml': '1' });
    write();
    fill(dir, { 'changed.json': 'mine' });
    rmSync(join(source, 'old.json'));
    rmSync(join(source, 'changed.json'));
    write();
    assert.deepEqual([existsSync(join(dir, 'old.json')), existsSync(join(dir, 'changed.json'))], [false, true]);
  });

  it('that services read at their start change the hash; dashboards do not', (t) => {
    const { dir, write } = folders(t, { 'loki/loki.yaml': '1', 'grafana/dashboards/a.json': '1' });
    write();
    const hash = startHash(dir);
    fill(dir, { 'grafana/dashboards/a.json': '2' });
    assert.equal(startHash(dir), hash);
    fill(dir, { 'loki/loki.yaml': '2' });
    assert.notEqual(startHash(dir), hash);
  });
});

describe('a folder that cannot be written to', () => {
  it('is a file', (t) => {
    const { dir, write } = folders(t, { 'a.yaml': '1' });
    fill(dirname(dir), { stack: 'a file' });
    assert.throws(write, (error: UsageError) => error.code === 'folder_unwritable' && error.message.includes(dir));
  });

  for (const [code, kind, word, reason] of [
    ['ENOSPC', ExternalError, 'disk_full', 'ENOSPC: no'],
    ['EDQUOT', ExternalError, 'disk_full', 'EDQUOT: no'],
    ['EROFS', UsageError, 'folder_unwritable', 'the file system is read-only'],
    ['EACCES', UsageError, 'folder_unwritable', 'permission denied'],
  ] as const)
    it(`is refused with ${word} for ${code}`, () => {
      const fail = () => {
        throw Object.assign(new Error(`${code}: no`), { code });
      };
      assert.throws(
        () => withWriteErrors('/srv/stack', fail),
        (error: UsageError) => {
          assert.ok(error instanceof kind);
          assert.deepEqual(
            [error.code, error.message],
            [word, `cannot write the files of the stack to /srv/stack: ${reason}`],
          );
          return true;
        },
      );
    });
});

describe('the password of Grafana', () => {
  it('is new once, random, and readable by its owner only', (t) => {
    const { dir } = folders(t, {});
    const password = createPassword(dir);
    assert.match(password ?? '', /^[\w-]{24}$/);
    chmodSync(join(dir, 'admin-password'), 0o644);
    assert.equal(createPassword(dir), undefined);
    assert.equal(readPassword(dir), password);
    assert.equal(statSync(join(dir, 'admin-password')).mode & 0o777, 0o600);
  });
});
