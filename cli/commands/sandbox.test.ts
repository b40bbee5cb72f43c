import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createReport, type ProbeResult } from '../probes/report.ts';
import type { Command } from '../program/command.ts';
import type { SandboxResult } from '../sandbox/session/result.ts';
import { runCaptured } from '../testing/captured.ts';
import { definition } from './sandbox.ts';

/** The address of a container runtime on which nothing listens: a command that connects exits with 3. */
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

test('refuses --env with a name that is not set, before it looks for a container runtime', async () => {
  const policy = { stdin: '{"secret":"${SET}"}', env: { ...env, SET: 'value', EMPTY: '', 'A B': 'value' } };
  for (const name of ['NOT_SET', 'EMPTY', 'A B', 'SET=x', 'constructor', '']) {
    const { status, stderr } = await runCaptured(['sandbox', 'traefik', '-', '--env', name], policy);
    assert.equal(status, 2, name);
    assert.match(stderr, /^error: --env ".*" is not the name of a variable that is set\./);
  }
  for (const args of [[], ['--env', 'SET'], ['--env', 'SET', '--env', 'SET']])
    assert.equal((await runCaptured(['sandbox', 'traefik', '-', ...args], policy)).status, 3);
});

/** Secrets that a malicious configuration could try to reveal in an error, a note or the output. */
const hostile = {
  caddy:
    '{"secret":"${SECRET}","response":{"mode":"captcha","captcha":{"provider":"turnstile","siteKey":"k","secretKey":"${SECRET}"}}}',
  'tcp-guard': `
global: {log_file: "\${SECRET}", geo_block: {deny_countries: [DE]}, geoip_db: /nonexistent, never_ban: []}
api: {socket: "/\${SECRET}"}
threatfeed: {enabled: true, lapi_url: "http://\${SECRET}", api_key: "\${SECRET}"}
intake: [{file: "/\${SECRET}"}]
port_scan: {listen: [":\${SECRET}"]}
services: {a: {listen: ":\${SECRET}", upstream: "\${SECRET}:1", protocol: tls, tls: {deny_sni: ["\${SECRET}"]}}}`,
  geoip_db: 'global: {geo_block: {deny_countries: [DE]}, geoip_db: "/${SECRET}"}',
  never_ban: 'global: {never_ban: ["${SECRET}"]}',
  'http.policy': 'services: {a: {listen: ":1", upstream: "h:1", protocol: http, http: {policy: "${SECRET}"}}}',
} as const;

test('neither prints the value of a variable nor gives it to the container', async () => {
  const secret = 'a-value-of-this-machine';
  for (const [name, stdin] of Object.entries(hostile)) {
    const target = name === 'caddy' ? name : 'tcp-guard';
    const setting = { stdin, env: { ...env, SECRET: secret } };
    for (const args of [['--dry-run'], ['--test'], ['--json', '--dry-run'], ['--env', 'SECRET', '--dry-run']]) {
      const { stdout, stderr } = await runCaptured(['sandbox', target, '-', ...args], setting);
      const [, packed = ''] = /GUARD_CONFIG_B64=([\w+/=]+)/.exec(stdout) ?? [];
      const unpacked = packed === '' ? '' : gunzipSync(Buffer.from(packed, 'base64')).toString();
      for (const text of [stdout, stderr, unpacked]) assert.ok(!text.includes(secret), `${name} ${args}: ${text}`);
    }
  }
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

test('says that the target comes before the file', async () => {
  for (const command of ['sandbox', 'generate']) {
    const { status, stderr } = await runCaptured([command, 'guard.json'], { env });
    assert.equal(status, 2);
    assert.match(
      stderr,
      /"guard\.json"\. The target comes before the file, as in "caddy guard\.json"\. Choose one of /,
    );
  }
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
  const { exitCode } = definition as unknown as Command<unknown, SandboxResult>;
  const tested = (ok: boolean): SandboxResult => {
    const report = createReport([{ ok, source: 'match' } as ProbeResult], [], 1);
    return { action: 'tested', target: 'caddy', url: '', notes: [], report };
  };
  assert.deepEqual([exitCode?.(tested(true)), exitCode?.(tested(false))], [0, 1]);
});
