import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReport, type ProbeResult } from '../probes/report.ts';
import type { Command } from '../program/command.ts';
import type { SandboxResult } from '../sandbox/session/result.ts';
import { runCaptured } from '../testing/captured.ts';
import { sandboxCommand } from './sandbox.ts';

/** A runtime address that nothing listens on: a command that tries to connect exits with 3. */
const env = { DOCKER_HOST: 'unix:///nonexistent/docker.sock' };
const sandbox = (...args: string[]) => runCaptured(['sandbox', 'caddy', '-', ...args], { stdin: '{}', env });

const refused: readonly (readonly [readonly string[], RegExp])[] = [
  [['--port', '0'], /--port is "0"\. .*from 1 to 65535/],
  [['--port', '65536'], /--port is "65536"/],
  [['--port', '80x'], /--port is "80x"/],
  [['--test', '--detach'], /--test and --detach are mutually exclusive/],
  [['--isolated', '--upstream', 'http://x'], /--isolated and --upstream are mutually exclusive/],
  [['--upstream', 'http://x/path'], /Pass only scheme, host and port/],
  [['--upstream', 'http://u:p@x'], /Pass only scheme, host and port/],
  [['--upstream', 'ftp://x'], /--upstream is "ftp:/],
  [['--upstream', 'x'], /--upstream is "x"/],
];

test('refuses contradicting options before it looks for a container runtime', async () => {
  for (const [args, message] of refused) {
    const { status, stdout, stderr } = await sandbox(...args);
    assert.equal(status, 2, args.join(' '));
    assert.match(stderr, message);
    assert.equal(stdout, '');
  }
});

test('refuses a policy with an unset variable before it looks for a container runtime', async () => {
  const { status, stderr } = await runCaptured(['sandbox', 'traefik', '-'], { stdin: '{"secret":"${NOT_SET}"}', env });
  assert.equal(status, 2);
  assert.match(stderr, /the policy reads \$\{NOT_SET\}, which is not set here\. Set it .*NOT_SET=/);
});

test('accepts every name of a target, in any letter case', async () => {
  const names = ['Caddy', 'PROXYB', 'traefik', 'proxya', 'yaml', 'nginx', 'ProxyC', 'OpenResty', 'lua'];
  for (const name of names) {
    const { status, stderr } = await runCaptured(['sandbox', name, '-', '--test'], { stdin: '{}', env });
    assert.equal(status, 3, `${name}: ${stderr}`);
  }
});

test('refuses an unknown target, lists the known ones and suggests the closest', async () => {
  const { status, stderr } = await runCaptured(['sandbox', 'apache', '-'], { stdin: '{}', env });
  assert.equal(status, 2);
  assert.match(
    stderr,
    /unknown target "apache"\. Choose one of traefik \(proxya\), caddy \(proxyb\), nginx \(proxyc\), tcp-guard\.\n/,
  );
  const near = await runCaptured(['sandbox', 'treafik', '-'], { stdin: '{}', env });
  assert.match(near.stderr, /Did you mean "traefik"\?/);
});

test('exits 1 for an invalid policy', async () => {
  const { status, stderr } = await runCaptured(['sandbox', 'proxyb', '-', '--test'], { stdin: '{"x":1}', env });
  assert.equal(status, 1);
  assert.match(stderr, /<stdin>:1:2: x: /);
});

test('exits 3 without a container runtime', async () => {
  for (const args of [[], ['--test'], ['--detach']]) {
    const { status, stderr } = await sandbox(...args);
    assert.equal(status, 3);
    assert.match(
      stderr,
      /no container runtime responds\.\n {2}\| unix:\/\/\/nonexistent\/docker\.sock \(DOCKER_HOST\): /,
    );
  }
});

test('exits 1 after a failed probe', () => {
  const { exitCode } = sandboxCommand as unknown as Command<unknown, SandboxResult>;
  const tested = (ok: boolean): SandboxResult => {
    const report = createReport([{ ok, source: 'match' } as ProbeResult], [], 1);
    return { action: 'tested', target: 'caddy', url: '', notes: [], report };
  };
  assert.deepEqual([exitCode?.(tested(true)), exitCode?.(tested(false))], [0, 1]);
});
