import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { parse } from 'yaml';
import { loadPolicy } from '../../../contract/load/policy.ts';
import { runCaptured } from '../../testing/captured.ts';
import { scratch } from '../../testing/scratch.ts';
import { questions } from './questions.ts';
import { type InitOptions, init } from './run.ts';

const run = (cwd: string, ...argv: string[]) => runCaptured(['init', ...argv], { cwd });

describe('guardcli init', () => {
  for (const ci of questions.ci.choices) {
    it(`writes a valid policy whose cases hold, with CI ${ci}`, async () => {
      const folder = scratch();
      const { status, stdout, stderr } = await run(folder, '--dir', 'site', '--ci', ci, '--response', 'json');
      assert.equal(status, 0);
      const [policyFile = '', suiteFile = '', ciFile] = [...stdout.matchAll(/^wrote (.*)$/gm)].map(([, name = '']) =>
        join(folder, name),
      );
      const loaded = loadPolicy(readFileSync(policyFile), 'guard.json');
      assert.ok(loaded.ok);
      assert.deepEqual(loaded.warnings, []);
      assert.deepEqual([loaded.value.mode, loaded.value.response.mode], ['enforce', 'json']);
      const tested = await runCaptured(['test', '--suite', suiteFile], { cwd: folder });
      assert.match(tested.stdout, /cases\.yaml: PASSED, 11 passed, 0 failed\n$/);
      assert.equal(ciFile === undefined, ci === 'none');
      assert.equal(/note: .* request-guard-.*\.tgz: commit it/.test(stderr), ci !== 'none');
      if (ciFile === undefined) return;
      const text = readFileSync(ciFile, 'utf8');
      assert.match(text, /guardcli test --suite cases\.yaml/);
      if (ci === 'shell') assert.equal(statSync(ciFile).mode & 0o111, 0o111);
      else assert.equal(typeof parse(text), 'object');
    });
  }
  it('writes nothing when one of the files exists, even as a link to nothing', async () => {
    const folder = scratch();
    symlinkSync('absent', join(folder, 'cases.yaml'));
    const { status, stderr } = await run(folder);
    assert.deepEqual([status, readdirSync(folder)], [2, ['cases.yaml']]);
    assert.match(stderr, /^error: cases\.yaml exists already; nothing is written\. .*--force/);
  });
  it('overwrites with --force, and does not follow a link', async () => {
    const folder = scratch({ 'guard.json': 'mine', target: 'theirs' });
    symlinkSync('target', join(folder, 'cases.yaml'));
    assert.equal((await run(folder, '--force')).status, 0);
    assert.match(readFileSync(join(folder, 'guard.json'), 'utf8'), /^\{/);
    assert.equal(readFileSync(join(folder, 'target'), 'utf8'), 'theirs');
  });
  it('names the folder in the next command so that a shell reads it', async () => {
    const { stdout } = await run(scratch(), '--dir', "a b's");
    assert.match(stdout, /\n {2}cd 'a b'\\''s'\n/);
  });
  it('names a folder that cannot be written', async () => {
    const folder = scratch({ file: '' });
    const { status, stderr } = await run(folder, '--dir', 'file');
    assert.equal(status, 2);
    assert.match(stderr, /^error: cannot write .*--dir/);
  });
});

describe('the questions of guardcli init', () => {
  const answer = async (t: TestContext, lines: string, options: InitOptions = {}) => {
    const folder = scratch();
    let asked = '';
    const terminal = { write: (text: string) => (asked += text) };
    const stdin = Object.assign(Readable.from([Buffer.from(lines)]), { isTTY: true });
    const context = {
      stdin,
      stdout: terminal,
      stderr: terminal,
      env: {},
      cwd: folder,
      signal: t.signal,
      now: Date.now,
    };
    const result = await init(options, context).catch((error: unknown) => error as Error);
    return { result, asked, isWritten: existsSync(join(folder, 'guard.json')) };
  };
  const answersOf = ({ result }: Awaited<ReturnType<typeof answer>>) => {
    assert.ok('answers' in result, String(result));
    return result.answers;
  };
  it('are answered by lines; an empty line is the default, and a wrong one is asked again', async (t: TestContext) => {
    const given = await answer(t, 'NGINX\n\nhtlm\nhtml\nnone\n');
    assert.deepEqual(answersOf(given), { proxy: 'nginx', mode: 'enforce', response: 'html', ci: 'none' });
    assert.match(given.asked, /choose one of text, json, html/);
  });
  it('are not asked where an option answers them, or with --yes', async (t: TestContext) => {
    const given = await answer(t, 'gitlab\n', { proxy: 'traefik', mode: 'detect', response: 'json' });
    assert.deepEqual(answersOf(given), { proxy: 'traefik', mode: 'detect', response: 'json', ci: 'gitlab' });
    assert.equal((await answer(t, 'nginx\n', { yes: true })).asked, '');
  });
  it('write nothing when the input ends early', async (t: TestContext) => {
    const { result, isWritten } = await answer(t, 'nginx\n');
    assert.deepEqual([(result as Error).message, isWritten], ['the input ended before the last question', false]);
  });
});

describe('guardcli init with a log', () => {
  it('writes the profiles of the applications in a log, only of requests that succeeded', async () => {
    const line = (target: string, status: number) =>
      `app.example.com:443 192.0.2.7 - - [29/Nov/2026:10:00:00 +0000] "GET ${target} HTTP/1.1" ${status} 5 "-" "-"\n`;
    const scanned = ['/wp-admin/', '/wp-json/'].map((target) => line(target, 404));
    const served = ['/remote.php/dav/files/a', '/ocs/v2.php/apps'].map((target) => line(target, 200));
    const folder = scratch({ 'access.log': [...scanned, ...served].join('') });
    const { status, stdout } = await run(folder, '--log', 'access.log', '--ci', 'none');
    assert.equal(status, 0);
    assert.match(stdout, /^found Nextcloud, ownCloud at app\.example\.com$/m);
    const loaded = loadPolicy(readFileSync(join(folder, 'guard.json')), 'guard.json');
    assert.ok(loaded.ok);
    assert.deepEqual(loaded.value.applications, [{ name: 'nextcloud', hosts: ['app.example.com'] }]);
  });
});
