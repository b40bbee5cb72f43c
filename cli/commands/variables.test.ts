import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockEvent } from '../../conformance/events/lines.ts';
import { runCaptured } from '../testing/captured.ts';
import { scratch } from '../testing/scratch.ts';

const value = 'a-value-of-this-machine';
const secretKey = '${SECRET}';
const policy = JSON.stringify({
  secret: secretKey,
  tcp: { threatfeed: { enabled: true, api_key: secretKey } },
  response: {
    mode: 'captcha',
    captcha: { provider: 'turnstile', siteKey: 'k', secretKey, verifyUrl: 'https://x.example' },
  },
});

const daemon = `
global: {log_file: "/\${SECRET}", data_dir: "/\${SECRET}"}
threatfeed: {enabled: true, api_key: "\${SECRET}"}
services: {web: {listen: ":\${SECRET}", upstream: "\${SECRET}:80", protocol: http, http: {policy: "\${SECRET}"}}}`;

const lines = [
  ...[
    'test /.env -c guard.json',
    'test --suite cases.yaml',
    'explain env-file -c guard.json',
    'why 7K3QF2M9TD events.jsonl -c guard.json',
    'diff guard.json other.json',
  ],
  ...['validate guard.json', 'validate tcp-guard.yaml', 'replay access.log -c guard.json', 'allow /.env -c guard.json'],
  ...['caddy', 'nginx', 'traefik-yaml', 'traefik-toml', 'traefik-labels', 'tcp-guard'].map(
    (name) => `generate ${name}`,
  ),
  ...['caddy', 'nginx', 'traefik', 'tcp-guard'].map((name) => `generate ${name}-kubernetes`),
];

test('no command reads the environment for a variable that a policy names', async () => {
  const cases = 'cases:\n  - name: x\n    request: { path: /.env }\n    expect: { verdict: blocked }\n';
  const log = '192.0.2.1 - - [01/Jan/2026:00:00:00 +0000] "GET /.env HTTP/1.1" 200 1\n';
  const files = {
    'guard.json': policy,
    'other.json': '{}',
    'cases.yaml': cases,
    'tcp-guard.yaml': daemon,
    'access.log': log,
    'events.jsonl': `${JSON.stringify(blockEvent('2026-01-01T00:00:00.000Z'))}\n`,
  };
  const read = new Set<unknown>();
  const env = new Proxy<Record<string, string>>(
    { SECRET: value },
    {
      get: (all, name) => {
        read.add(name);
        return Reflect.get(all, name);
      },
    },
  );
  for (const line of lines)
    for (const json of [[], ['--json']]) {
      const { status, stdout, stderr } = await runCaptured([...line.split(' '), ...json], { cwd: scratch(files), env });
      assert.ok(status === 0 || status === 1, `${line}: ${stderr}`);
      assert.ok(!`${stdout}${stderr}`.includes(value), line);
    }
  assert.equal(read.has('SECRET'), false);
});
