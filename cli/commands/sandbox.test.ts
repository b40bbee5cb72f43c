import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReport, type ProbeResult } from '../probes/report.ts';
import type { Command } from '../program/command.ts';
import type { SandboxResult } from '../sandbox/session/result.ts';
import { runCaptured } from '../testing/captured.ts';
import { sandboxCommand } from './sandbox.ts';

/** A container runtime that nothing can reach: what gets as far as asking it fails with 3. */
const env = { DOCKER_HOST: 'unix:///nonexistent/docker.sock' };
const sandbox = (...args: string[]) => runCaptured(['sandbox', 'caddy', '-', ...args], { stdin: '{}', env });

const refused: readonly (readonly [readonly string[], RegExp])[] = [
  [['--port', '0'], /--port is "0"\. .*from 1 to 65535/],
  [['--port', '65536'], /--port is "65536"/],
  [['--port', '80x'], /--port is "80x"/],
  [['--test', '--detach'], /--test and --detach are mutually exclusive/],
  [['--isolated', '--upstream', 'http://x'], /--isolated and --upstream are mutually exclusive/],
  [['--upstream', 'http://x/path'], /Give scheme, host and port alone/],
  [['--upstream', 'http://u:p@x'], /Give scheme, host and port alone/],
  [['--upstream', 'ftp://x'], /--upstream is "ftp:/],
  [['--upstream', 'x'], /--upstream is "x"/],
];

test('what cannot be meant is refused before a container runtime is looked for', async () => {
  for (const [args, message] of refused) {
    const { status, stdout, stderr } = await sandbox(...args);
    assert.equal(status, 2, args.join(' '));
    assert.match(stderr, message);
    assert.equal(stdout, '');
  }
});

test('a variable that the policy reads and nobody has set is refused before a container runtime is looked for', async () => {
  const { status, stderr } = await runCaptured(['sandbox', 'traefik', '-'], { stdin: '{"secret":"${NOT_SET}"}', env });
  assert.equal(status, 2);
  assert.match(stderr, /the policy reads \$\{NOT_SET\}, which is not set here\. Set it .*NOT_SET=/);
});

test('every name of a target is taken, in any letter case', async () => {
  const names = ['Caddy', 'PROXYB', 'traefik', 'proxya', 'yaml', 'nginx', 'ProxyC', 'OpenResty', 'lua'];
  for (const name of names) {
    const { status, stderr } = await runCaptured(['sandbox', name, '-', '--test'], { stdin: '{}', env });
    assert.equal(status, 3, `${name}: ${stderr}`);
  }
});

test('a target that is not in the table is refused with those that are, and with the nearest one', async () => {
  const { status, stderr } = await runCaptured(['sandbox', 'apache', '-'], { stdin: '{}', env });
  assert.equal(status, 2);
  assert.match(
    stderr,
    /unknown target "apache"\. Choose one of traefik \(proxya\), caddy \(proxyb\), nginx \(proxyc\), tcp-guard\.\n/,
  );
  const near = await runCaptured(['sandbox', 'treafik', '-'], { stdin: '{}', env });
  assert.match(near.stderr, /Did you mean "traefik"\?/);
});

test('a policy that is not valid is the answer no', async () => {
  const { status, stderr } = await runCaptured(['sandbox', 'proxyb', '-', '--test'], { stdin: '{"x":1}', env });
  assert.equal(status, 1);
  assert.match(stderr, /<stdin>:1:2: x: /);
});

test('a container runtime that is not there is a fault outside', async () => {
  for (const args of [[], ['--test'], ['--detach']]) {
    const { status, stderr } = await sandbox(...args);
    assert.equal(status, 3);
    assert.match(
      stderr,
      /no container runtime answers\.\n {2}\| unix:\/\/\/nonexistent\/docker\.sock \(DOCKER_HOST\): /,
    );
  }
});

test('a failed probe makes the status 1', () => {
  const { exitCode } = sandboxCommand as unknown as Command<unknown, SandboxResult>;
  const tested = (ok: boolean): SandboxResult => {
    const report = createReport([{ ok, source: 'match' } as ProbeResult], [], 1);
    return { action: 'tested', target: 'caddy', url: '', notes: [], report };
  };
  assert.deepEqual([exitCode?.(tested(true)), exitCode?.(tested(false))], [0, 1]);
});
