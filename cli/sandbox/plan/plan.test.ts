import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOptions } from '../../../containers/docker-options.ts';
import { sandboxLabel, targetLabel } from '../../../containers/labels.ts';
import { Policy } from '../../../contract/policy/schema.ts';
import { caddy } from '../targets/caddy.ts';
import { type PlanInput, planSandbox } from './plan.ts';
import { madeUpValue } from './variables.ts';

function plan(changes: Partial<PlanInput> = {}, file: object = {}) {
  return planSandbox({
    ...{ target: caddy, image: 'image:1', session: 's1', ipv6: true, isolated: false, detach: false },
    ...{ stubs: false, passed: {} },
    sites: [{ policy: Policy.parse(file), hostPort: 8080 }],
    ...changes,
  });
}

const text = (planned: ReturnType<typeof plan>, name: string): string =>
  planned.sandbox.files.find((file) => file.name === name)?.text ?? '';

test('gives the proxy the ban list of the sandbox, whatever file the policy names', () => {
  const bans = Buffer.from('guard-bans');
  const file = { banList: { file: '/etc/shadow', response: { mode: 'proxy', proxyUrl: 'http://192.0.2.1' } } };
  const planned = plan({ bans, stubs: true, isolated: true }, file);
  assert.deepEqual(planned.sandbox.files.find(({ name }) => name === 'bans')?.bytes, bans);
  assert.match(text(planned, 'Caddyfile'), /ban_list \{\n\t\tfile \/etc\/guard\/bans\n/);
  assert.match(text(planned, 'Caddyfile'), /proxy_url http:\/\/127\.0\.0\.1:9000\n/);
  assert.ok(!JSON.stringify(planned.sandbox.files).includes('shadow'));
  assert.equal(
    plan({ bans }).sandbox.files.find(({ name }) => name === 'bans'),
    undefined,
  );
});

test('publishes a sandbox only on the loopback addresses', () => {
  assert.deepEqual(plan().sandbox.spec.ports, [
    { hostAddress: '127.0.0.1', hostPort: 8080, containerPort: 8080 },
    { hostAddress: '::1', hostPort: 8080, containerPort: 8080 },
  ]);
  assert.equal(plan({ ipv6: false }).sandbox.spec.ports.length, 1);
});

test('labels every item with its session', () => {
  const { sandbox, isolation } = plan({ isolated: true });
  assert.deepEqual(sandbox.spec.labels, { [sandboxLabel]: 's1', [targetLabel]: 'caddy' });
  assert.equal(isolation?.gate.spec.labels[sandboxLabel], 's1');
  assert.equal(isolation?.network.labels[sandboxLabel], 's1');
});

test('ends with the command unless it is detached', () => {
  assert.match(text(plan(), 'runner.json'), /"holdStdin": true/);
  assert.equal(plan().sandbox.spec.stdin, true);
  assert.match(text(plan({ detach: true }), 'runner.json'), /"holdStdin": false/);
  assert.equal(plan({ detach: true }).sandbox.spec.stdin, false);
});

test('contains the guard block that generate prints, and disables outgoing features', () => {
  const caddyfile = text(plan({}, { checkQuery: true }), 'Caddyfile');
  for (const line of ['admin off', 'persist_config off', 'auto_https off', 'grace_period 1s', 'order guard first'])
    assert.ok(caddyfile.includes(`\t${line}\n`), line);
  assert.match(
    caddyfile,
    /http:\/\/:8080 \{[\s\S]*\nguard \{\n\tcheck_query true\n\}\n\treverse_proxy http:\/\/127\.0\.0\.1:9000\n\}/,
  );
});

test('serves several policies on several ports of one container', () => {
  const policies = [{ enabled: false }, { checkQuery: true }].map((file) => Policy.parse(file));
  const planned = plan({ sites: policies.map((policy, index) => ({ policy, hostPort: 9100 + index })) });
  assert.deepEqual(
    planned.sandbox.spec.ports.filter(({ hostAddress }) => hostAddress === '::1').map((port) => port.containerPort),
    [8080, 8081],
  );
  assert.match(
    text(planned, 'Caddyfile'),
    /http:\/\/:8080 \{[\s\S]*enabled false[\s\S]*http:\/\/:8081 \{[\s\S]*check_query true/,
  );
  assert.match(text(planned, 'runner.json'), /"127\.0\.0\.1:8080",\s*"127\.0\.0\.1:8081"/);
});

test('reaches an upstream on this machine by the host name of the machine', () => {
  const planned = plan({ upstream: new URL('http://localhost:3000') });
  assert.match(text(planned, 'Caddyfile'), /reverse_proxy http:\/\/host\.docker\.internal:3000 \{/);
  assert.deepEqual(planned.sandbox.spec.hostNames, ['host.docker.internal']);
  assert.match(planned.notes.join(), /must also listen on an address other than the loopback/);
});

test('sends the host name of a remote upstream', () => {
  const planned = plan({ upstream: new URL('https://app.example') });
  assert.match(
    text(planned, 'Caddyfile'),
    /reverse_proxy https:\/\/app\.example \{\n\t\theader_up Host \{upstream_hostport\}/,
  );
  assert.deepEqual(planned.sandbox.spec.hostNames, []);
});

test('writes events to a writable file in the container, which the runner follows', () => {
  const planned = plan({}, { securityLogFile: '/var/log/guard.jsonl' });
  const { follow } = JSON.parse(text(planned, 'runner.json'));
  assert.equal(follow.length, 1);
  assert.match(text(planned, 'Caddyfile'), new RegExp(`security_log_file ${follow[0]}\\n`));
  assert.match(planned.notes.join(), /securityLogFile is a file in the container/);
  assert.equal(JSON.parse(text(plan(), 'runner.json')).follow, undefined);
});

test('gives each policy its own event file', () => {
  const policy = Policy.parse({ securityLogFile: '/var/log/guard.jsonl' });
  const planned = plan({ sites: [8080, 8081].map((hostPort) => ({ policy, hostPort })) });
  assert.equal(new Set(JSON.parse(text(planned, 'runner.json')).follow).size, 2);
});

const challenge = {
  mode: 'captcha',
  captcha: {
    provider: 'turnstile',
    siteKey: 'k',
    secretKey: '${AWS_SECRET_ACCESS_KEY}',
    verifyUrl: 'http://evil.example',
  },
};

test('makes up the values of variables, and says so', () => {
  const { sandbox, notes } = plan({}, { secret: '${GUARD_SECRET}', response: challenge });
  assert.deepEqual(sandbox.spec.env, { GUARD_SECRET: madeUpValue, AWS_SECRET_ACCESS_KEY: madeUpValue });
  assert.match(notes.join(), /made-up values for \$\{GUARD_SECRET\}, \$\{AWS_SECRET_ACCESS_KEY\}; --env <name> passes/);
  assert.deepEqual([plan().sandbox.spec.env, plan().notes], [{}, []]);
});

test('passes on only the variables of --env that the policy names', () => {
  const passed = { GUARD_SECRET: 'x'.repeat(20), OTHER: 'y' };
  const { sandbox, notes } = plan({ passed }, { secret: '${GUARD_SECRET}' });
  assert.deepEqual([sandbox.spec.env, notes], [{ GUARD_SECRET: passed.GUARD_SECRET }, []]);
});

test('the made-up value fits every key of a policy', () => {
  Policy.parse({
    secret: madeUpValue,
    response: { ...challenge, captcha: { ...challenge.captcha, secretKey: madeUpValue } },
  });
});

test('a sandbox for probes verifies solutions with a provider in the container', () => {
  const planned = plan({ stubs: true }, { response: challenge });
  assert.match(text(planned, 'Caddyfile'), /verify_url http:\/\/127\.0\.0\.1:9002\/siteverify\n/);
  assert.ok(!text(planned, 'Caddyfile').includes('evil.example'));
  assert.equal(JSON.parse(text(planned, 'runner.json')).provider, '127.0.0.1:9002');
  assert.match(planned.notes.join(), /captcha: a stub in the container replaces the provider/);
  const { captcha } = challenge;
  for (const response of [
    { mode: 'json', captcha },
    { mode: 'captcha', captcha: { provider: 'turnstile', siteKey: 'k' } },
  ])
    assert.equal(JSON.parse(text(plan({ stubs: true }, { response }), 'runner.json')).provider, undefined);
});

test('an isolated sandbox for probes mirrors requests to the echo', () => {
  const response = { mode: 'proxy', proxyUrl: 'http://honeypot.example/' };
  const isolated = plan({ stubs: true, isolated: true }, { response });
  assert.match(text(isolated, 'Caddyfile'), /proxy_url http:\/\/127\.0\.0\.1:9000\n/);
  assert.match(isolated.notes.join(), /proxyUrl: the echo in the container replaces the server/);
  assert.match(text(plan({ stubs: true }, { response }), 'Caddyfile'), /proxy_url http:\/\/honeypot\.example\/\n/);
});

test('publishes the ports of an isolated sandbox through its gate', () => {
  const { sandbox, isolation } = plan({ isolated: true });
  assert.deepEqual(sandbox.spec.ports, []);
  assert.deepEqual(sandbox.spec.networks, ['request-guard-s1']);
  assert.deepEqual(isolation?.gate.spec.networks, ['bridge', 'request-guard-s1']);
  assert.match(isolation?.gate.files[0]?.text ?? '', /"to": "request-guard-caddy-s1:8080"/);
});

test('hardens every container', () => {
  const { HostConfig, User } = createOptions(plan().sandbox.spec);
  const { PortBindings: _, ...rest } = HostConfig;
  assert.equal(User, '65532:65532');
  assert.deepEqual(rest, {
    AutoRemove: true,
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges:true'],
    Memory: 536_870_912,
    MemorySwap: 536_870_912,
    PidsLimit: 64,
    IpcMode: 'none',
    Tmpfs: {
      '/tmp': 'rw,noexec,nosuid,nodev,size=16m,mode=1777',
      '/etc/guard': 'rw,noexec,nosuid,nodev,size=16m,mode=1777',
    },
    // With a single file, the container runtime deletes all lines when the file reaches its limit.
    LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '2' } },
    ExtraHosts: [],
  });
});
