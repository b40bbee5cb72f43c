import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import { type TestContext, test } from 'node:test';
import { proxyNamed } from '../../cli/targets/find.ts';
import { type ProxyTarget, targets } from '../../cli/targets/table.ts';
import { Policy } from '../../contract/policy/schema.ts';
import { answerPage, ask } from '../proxies/captcha/visitor.ts';
import { bridgeGateway, serve } from '../proxies/policies.ts';
import {
  containersOn,
  docker,
  fewProbes,
  freePort,
  hasIpv6,
  runSandbox,
  skip,
  start,
  temporaryFile,
} from '../support/guardcli.ts';
import { listen } from '../support/listen.ts';

const caddy = proxyNamed('caddy') as ProxyTarget;

interface Inspected {
  readonly Name: string;
  readonly State: { readonly Pid: number };
  readonly Config: { readonly User: string; readonly Env: readonly string[]; readonly OpenStdin: boolean };
  readonly HostConfig: Readonly<Record<string, unknown>>;
  readonly Mounts: readonly unknown[];
  readonly NetworkSettings: { readonly Networks: Readonly<Record<string, { readonly Gateway: string }>> };
}

async function inspect(name: string): Promise<Inspected> {
  const [one] = JSON.parse(await docker('inspect', name)) as Inspected[];
  assert.ok(one);
  return one;
}

/** Starts a sandbox. Returns the state of its containers, sorted by name. */
async function sandbox(t: TestContext, port: number, ...options: string[]): Promise<Inspected[]> {
  const running = start(t, ['sandbox', 'caddy', temporaryFile('guard.json', {}), '--port', String(port), ...options]);
  await running.says('serving on');
  const published = (await containersOn(port)).map((line) => line.split(' ')[0]?.slice(1) ?? '');
  const session = published[0]?.split('-').at(-1) ?? '';
  const names = await docker('ps', '--filter', `label=request-guard.sandbox=${session}`, '--format', '{{.Names}}');
  return Promise.all(names.split('\n').sort().map(inspect));
}

const expected: Readonly<Record<string, unknown>> = {
  AutoRemove: true,
  ReadonlyRootfs: true,
  Privileged: false,
  CapAdd: null,
  CapDrop: ['ALL'],
  SecurityOpt: ['no-new-privileges:true'],
  Memory: 536_870_912,
  MemorySwap: 536_870_912,
  PidsLimit: 64,
  IpcMode: 'none',
  PidMode: '',
  Binds: null,
  Devices: null,
  Tmpfs: {
    '/tmp': 'rw,noexec,nosuid,nodev,size=16m,mode=1777',
    '/etc/guard': 'rw,noexec,nosuid,nodev,size=16m,mode=1777',
  },
};

const loopbacks = async (): Promise<string[]> => ['127.0.0.1', ...((await hasIpv6()) ? ['::1'] : [])];

/** Values in /proc/<pid>/status for a process without privileges. */
const unprivileged = { Uid: '65532.*', CapEff: '0+', CapBnd: '0+', NoNewPrivs: '1', Seccomp: '2' };

function assertHardened({ Name, Config, HostConfig, Mounts }: Inspected): void {
  for (const [key, value] of Object.entries(expected)) {
    const actual = HostConfig[key];
    // Container runtimes write an absent value as null or as an empty list.
    const isNothing = value === null && Array.isArray(actual) && actual.length === 0;
    if (!isNothing) assert.deepEqual(actual ?? null, value, `${Name}: ${key}`);
  }
  assert.equal(Config.User, '65532:65532');
  assert.equal(Config.OpenStdin, true);
  assert.deepEqual(Mounts, []);
}

function hostAddresses({ HostConfig }: Inspected): string[] {
  const bindings = Object.values((HostConfig.PortBindings ?? {}) as Record<string, { HostIp: string }[]>).flat();
  return [...new Set(bindings.map(({ HostIp }) => HostIp))].sort();
}

async function assertOnLoopbacksAlone(one: Inspected, port: number): Promise<void> {
  assert.deepEqual(hostAddresses(one), await loopbacks());
  const outside = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const own = outside.filter(({ internal, family }) => !internal && family === 'IPv4');
  for (const { address } of own) await assert.rejects(fetch(`http://${address}:${port}/`), `reachable on ${address}`);
}

test('a sandbox has all of its hardening, and is published on loopbacks alone', { skip }, async (t) => {
  const port = await freePort();
  const [one, ...others] = await sandbox(t, port);
  assert.ok(one && others.length === 0);
  assertHardened(one);
  assert.deepEqual(
    one.Config.Env.map((entry) => entry.split('=')[0]).filter(
      (name) => !/^(?:HOME|XDG_\w+|GOMEMLIMIT|GOGC|PATH)$/.test(name ?? ''),
    ),
    ['GUARD_CONFIG_B64'],
  );
  await assertOnLoopbacksAlone(one, port);

  await t.test('its processes cannot gain a privilege, and their system calls are filtered', (test) => {
    const file = `/proc/${one.State.Pid}/status`;
    if (!existsSync(file)) return test.skip('the processes of the container runtime are not visible from here');
    const text = readFileSync(file, 'utf8');
    for (const [name, value] of Object.entries(unprivileged))
      assert.match(text, new RegExp(`^${name}:\\s+${value}$`, 'm'));
  });
});

test('an isolated sandbox and its gate are both hardened, and only the gate is published', { skip }, async (t) => {
  const port = await freePort();
  const [box, gate] = await sandbox(t, port, '--isolated');
  assert.ok(box && gate);
  for (const one of [box, gate]) assertHardened(one);
  assert.deepEqual([hostAddresses(box), hostAddresses(gate)], [[], await loopbacks()]);
  const [network = ''] = Object.keys(box.NetworkSettings.Networks);
  const format = '{{.Internal}} {{index .Options "com.docker.network.bridge.inhibit_ipv4"}}';
  assert.equal(await docker('network', 'inspect', network, '--format', format), 'true true');
  assert.equal((await fetch(`http://127.0.0.1:${port}/.env`)).status, 403);
});

test('an open sandbox reaches a service of this machine, an isolated one does not', { skip }, async (t) => {
  const server = createServer((_, answer) => answer.end('reached'));
  const port = await listen(t, server, '0.0.0.0');
  const policy = Policy.parse({});
  const upstream = new URL(`http://${await bridgeGateway()}:${port}`);
  const answers = ['open', 'isolated'].map(async (kind) => {
    const [one] = await serve(t, caddy, [policy], { upstream, isolated: kind === 'isolated' });
    const answer = await fetch(`http://127.0.0.1:${one?.port}/`);
    return [kind, answer.status, await answer.text()];
  });
  assert.deepEqual(await Promise.all(answers), [
    ['open', 200, 'reached'],
    ['isolated', 502, ''],
  ]);
});

const challenge = (verifyUrl: string) => ({
  blockPatterns: ['^/private/'],
  secret: '${GUARD_STOLEN}',
  response: {
    mode: 'captcha',
    captcha: { provider: 'turnstile', siteKey: 'k', secretKey: '${GUARD_STOLEN}', verifyUrl },
  },
});
const stolen = 'a-value-of-this-machine';

/** Starts a server outside of the sandbox. Returns its address for containers, and its number of connections. */
async function foreignServer(t: TestContext) {
  let connections = 0;
  const server = createServer((_, answer) => answer.end('{"success":true}'));
  server.on('connection', () => {
    connections += 1;
  });
  const port = await listen(t, server, '0.0.0.0');
  return { url: `http://${await bridgeGateway()}:${port}/`, connections: () => connections };
}

for (const { name } of targets.filter((target) => proxyNamed(target.name))) {
  test(`sandbox ${name} --test shows no variable, and connects to its own provider`, { skip }, async (t) => {
    const file = temporaryFile('guard.json', challenge('http://provider.invalid'));
    const env = { ...fewProbes, GUARD_STOLEN: stolen };
    const { status, stdout, stderr } = await runSandbox(t, ['sandbox', name, file, '--test'], await freePort(), env);
    assert.equal(status, 0, stdout + stderr);
    assert.ok(!`${stdout}${stderr}`.includes(stolen));
    assert.match(stderr, /note: the sandbox has made-up values for \$\{GUARD_STOLEN\}/);
    assert.match(stderr, /note: captcha: a stub in the container replaces the provider/);
  });

  test(`the stub in ${name} accepts one solution, and the provider of the policy is not reached`, {
    skip,
  }, async (t) => {
    const { url, connections } = await foreignServer(t);
    const target = proxyNamed(name) as ProxyTarget;
    const [site] = await serve(t, target, [Policy.parse(challenge(url))], { stubs: true });
    const port = site?.port ?? 0;
    const refused = await answerPage(port, await ask(port, '/private/x'), 'another');
    assert.deepEqual([refused.status, refused.cookie], [403, undefined]);
    const solved = await answerPage(port, await ask(port, '/private/x'), 'solved');
    assert.deepEqual([solved.status, solved.location], [303, '/private/x']);
    const passed = await ask(port, '/private/x', { cookie: solved.cookie ?? '' });
    assert.match(passed.body, /^GET \/private\/x HTTP/);
    assert.equal(connections(), 0);
  });
}

test('a container has the value of a variable only if it is passed on', { skip }, async (t) => {
  const variables = async (...options: string[]): Promise<string[]> => {
    const port = await freePort();
    const file = temporaryFile('guard.json', challenge('http://provider.invalid'));
    const args = ['sandbox', 'caddy', file, '--port', String(port), ...options];
    const running = start(t, args, { GUARD_STOLEN: stolen, GUARD_OTHER: 'other' });
    await running.says('serving on');
    const [line = ''] = await containersOn(port);
    return (await inspect(line.split(' ')[0] ?? '')).Config.Env.filter((entry) =>
      /^GUARD_(?:STOLEN|OTHER)=/.test(entry),
    );
  };
  assert.deepEqual(await variables(), ['GUARD_STOLEN=made-up-for-the-sandbox']);
  assert.deepEqual(await variables('--env', 'GUARD_STOLEN', '--env', 'GUARD_OTHER'), [`GUARD_STOLEN=${stolen}`]);
});
