/** `guardcli sandbox tcp-guard` as a user runs it, with a real runtime. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { protocols } from '../contract/daemon/protocols.ts';
import { packageRoot } from '../platform/assets.ts';
import { freeRow } from './port-row.ts';
import { containersOn, docker, eventually, run, sandboxNetworks, skip, start, temporary } from './support.ts';

/** Further options of some protocols; the policy is the file that holds this section. */
const options: Readonly<Record<string, object>> = {
  http: { http: { policy: 'guard.json', allow_hosts: ['*.example.org'] } },
  tls: { tls: { allow_sni: ['*.example.org'], min_version: '1.2' } },
};

/** A service of each protocol, with rates, filters and answers that differ, and all that bans from outside. */
const everything = {
  global: {
    ip_filter: { deny: ['203.0.113.0/24'] },
    ban_after_failures: 3,
    geoip_db: '/nowhere/countries.mmdb',
    geo_block: { deny_countries: ['FR'] },
  },
  threatfeed: { enabled: true, api_key: 'a-key', fallback_action: 'throttle' },
  intake: [{ file: '/nowhere/events.jsonl', after: 3 }],
  port_scan: { listen: [':23', ':3389'] },
  services: Object.fromEntries(
    protocols.map((protocol, index) => [
      `${protocol}-x`,
      {
        ...{ listen: `:${3000 + index}`, upstream: 'h.internal:1', protocol },
        response: { mode: ['drop', 'reject', 'tarpit'][index % 3] },
        ...(index % 2 === 0 && { max_connections_per_ip: 5 }),
        ...(index % 5 === 0 && { rate_limit: { connections_per_minute: 60, burst: 5 } }),
        ...(index % 4 === 0 && { proxy_protocol: { send: index % 8 === 0 ? 'v1' : 'v2' } }),
        ...options[protocol],
      },
    ]),
  ),
};

async function passes(t: TestContext, file: string, ...options: string[]): Promise<void> {
  const before = await sandboxNetworks();
  const port = await freeRow();
  const { status, stdout, stderr } = await run(t, [
    'sandbox',
    'tcp-guard',
    file,
    '--test',
    '--port',
    String(port),
    ...options,
  ]);
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, new RegExp(`^tcp-guard on http://localhost:${port}: PASSED, \\d+ probes in `, 'm'));
  const left = (await sandboxNetworks()).filter((name) => !before.includes(name));
  assert.deepEqual([await containersOn(port), left], [[], []]);
}

for (const name of ['tcp-guard', 'tcp-guard-ssh', 'tcp-guard-mail', 'tcp-guard-databases'])
  test(`sandbox tcp-guard ${name}.yaml --test passes and leaves nothing behind`, { skip }, (t) =>
    passes(t, join(packageRoot, `examples/${name}.yaml`)),
  );

test('so it does with a service of every protocol, from the tcp part of a policy, without a way out', { skip }, (t) =>
  passes(t, temporary(t, 'guard.json', { methods: ['GET'], tcp: everything }), '--isolated'),
);

test('a policy without a tcp part is refused, and so is a backend of the user’s', { skip }, async (t) => {
  const bare = await run(t, ['sandbox', 'l4', temporary(t, 'guard.json', { methods: ['GET'] }), '--test']);
  assert.equal(bare.status, 2);
  assert.match(bare.stderr, /has no tcp part/);
  const other = await run(t, ['sandbox', 'tcp', 'x.yaml', '--upstream', 'http://localhost:1']);
  assert.equal(other.status, 2);
});

/** What the service of the echo answers. */
async function echoed(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket.end(text);
  let came = '';
  socket.on('data', (chunk: string) => {
    came += chunk;
  });
  await once(socket, 'close');
  return came;
}

const plain = { services: { echo: { listen: ':7', upstream: 'h:7' } } };

test('without --test it follows the connections and prints how to reach services and API', { skip }, async (t) => {
  const port = await freeRow();
  const running = start(t, ['sandbox', 'tcp-guard', temporary(t, 'tcp-guard.yaml', plain), '--port', String(port)]);
  await running.says('serving on');
  assert.match(running.stderr(), new RegExp(`echo \\(generic\\): localhost:${port + 1}\n`));
  assert.equal(await echoed(port + 1, 'hello'), 'hello');
  await running.says(/allowed echo \w+ {2}from /);
  const token = /Bearer ([\w-]+)/.exec(running.stderr())?.[1];
  const stats = await fetch(`http://127.0.0.1:${port}/stats`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(
    ((await stats.json()) as { services: { echo: { total_allowed: number } } }).services.echo.total_allowed,
    1,
  );
  running.child.kill('SIGINT');
  await running.ended;
  assert.deepEqual(await containersOn(port), []);
});

test('what --dry-run prints works when pasted, and the container runtime finds it healthy', { skip }, async (t) => {
  const port = await freeRow();
  const file = temporary(t, 'tcp-guard.yaml', plain);
  const { status, stdout } = await run(t, ['sandbox', 'tcp-guard', file, '--dry-run', '--port', String(port)]);
  assert.equal(status, 0);
  const { stdout: printed } = await promisify(execFile)('sh', ['-c', stdout], { maxBuffer: 2 ** 26 });
  const id = printed.trim().split('\n').at(-1) ?? '';
  t.after(() => docker('rm', '-f', id));
  await eventually('the pasted sandbox to be healthy', async () => {
    return (await docker('inspect', '--format', '{{.State.Health.Status}}', id)) === 'healthy';
  });
  assert.equal(await echoed(port + 1, 'hello'), 'hello');
});
