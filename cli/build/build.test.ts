import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import type { BuildResult } from '../commands/build.ts';
import { runCaptured } from '../testing/captured.ts';
import { build, machine, setVariables } from '../testing/fake-go.ts';
import { scratch } from '../testing/scratch.ts';

const lean = ['traefik', '--without-webui'];

describe('guardcli build', () => {
  it('makes the program, with the licenses of both programs beside it, and removes its folder', async (t) => {
    const { cwd, temporary } = machine(t, { compile: 'cat guard.go > "$name"' });
    const { status, stdout } = await build(cwd, ...lean, '-o', 't', '--json');
    assert.equal(status, 0);
    const result = JSON.parse(stdout) as Extract<BuildResult, { action: 'built' }>;
    assert.deepEqual([result.output, result.licenses], [join(cwd, 't'), join(cwd, 't.LICENSES.txt')]);
    assert.match(readFileSync(join(cwd, 't'), 'utf8'), /reflect.ValueOf\(requestguard.NewCompiled\)/);
    const licenses = readFileSync(join(cwd, 't.LICENSES.txt'), 'utf8');
    for (const text of ['license of Traefik', 'Copyright']) assert.ok(licenses.includes(text), licenses);
    assert.deepEqual([readdirSync(temporary), readdirSync(cwd).sort()], [[], ['t', 't.LICENSES.txt']]);
  });

  it('compiles the main package of the module, without its tests, and carries over its go.mod', async (t) => {
    const { cwd } = machine(t, { compile: 'ls > "$name"; cat go.mod >> "$name"' });
    await build(cwd, ...lean);
    const text = readFileSync(join(cwd, 'traefik'), 'utf8');
    assert.match(text, /^main\.go$/m);
    assert.doesNotMatch(text, /main_test|webui/);
    assert.match(text, /^module github\.com\/request-guard\/guard\/build\/traefik$/m);
  });

  it('compiles for the platform that is asked for', async (t) => {
    const { cwd } = machine(t, { compile: 'echo "$GOOS $GOARCH $CGO_ENABLED $GOFLAGS." > "$name"' });
    setVariables(t, { GOFLAGS: '-tags=x' });
    await build(cwd, 'caddy', '--goos', 'windows', '--goarch', 'arm64');
    assert.equal(readFileSync(join(cwd, 'caddy'), 'utf8'), 'windows arm64 0 .\n');
  });

  it('adds further modules to Caddy, and lets them choose no other version of it', async (t) => {
    const { cwd, calls } = machine(t, { compile: 'cat guard.go > "$name"' });
    await build(cwd, 'caddy', '--version', '2.10.2', '--with', 'example.com/a/b@v1.2.3');
    assert.match(readFileSync(join(cwd, 'caddy'), 'utf8'), /_ "example.com\/a\/b"/);
    assert.ok(
      calls().some((call) => call.endsWith(' get github.com/caddyserver/caddy/v2@v2.10.2 example.com/a/b@v1.2.3')),
    );
  });

  it('reports its steps on standard error', async (t) => {
    const { cwd } = machine(t);
    const { stderr, stdout } = await build(cwd, ...lean);
    assert.match(stderr, /^\[1\/4\] copying the guard\n\[2\/4\] downloading Traefik v3/);
    assert.match(stdout, /^Traefik v3\.\d+\.\d+ with request-guard \d/);
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('an interruption ends the compiler and leaves nothing', async (t) => {
  const pidFile = join(scratch(), 'pid');
  const { cwd, temporary } = machine(t, { compile: `: > "$name"; echo $$ > ${pidFile}; sleep 600` });
  const controller = new AbortController();
  const running = runCaptured(['build', ...lean], { cwd, signal: controller.signal });
  await until(async () => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '', 'the compiler to start');
  controller.abort();
  assert.equal((await running).stdout, '');
  await until(async () => !isRunning(Number(readFileSync(pidFile, 'utf8'))), 'the compiler to end');
  assert.deepEqual([readdirSync(temporary), readdirSync(cwd)], [[], []]);
});
