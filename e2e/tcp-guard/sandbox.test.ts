import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { until } from '../../platform/testing/until.ts';
import { containersOn, docker, passesTcpGuard, run, skip, start, temporaryFile } from '../support/guardcli.ts';
import { freeRow } from '../support/port-row.ts';

test('sandbox tcp-guard tcp-guard.yaml --test passes and leaves nothing behind', { skip }, (t) =>
  passesTcpGuard(t, join(packageRoot, 'examples/tcp-guard.yaml')),
);

test('a policy without a tcp part is refused, and so is a backend of the user’s', { skip }, async (t) => {
  const bare = await run(t, ['sandbox', 'l4', temporaryFile('guard.json', { methods: ['GET'] }), '--test']);
  assert.equal(bare.status, 2);
  assert.match(bare.stderr, /has no tcp section/);
  const other = await run(t, ['sandbox', 'tcp', 'x.yaml', '--upstream', 'http://localhost:1']);
  assert.equal(other.status, 2);
});

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
  const running = start(t, ['sandbox', 'tcp-guard', temporaryFile('tcp-guard.yaml', plain), '--port', String(port)]);
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
  const file = temporaryFile('tcp-guard.yaml', plain);
  const { status, stdout } = await run(t, ['sandbox', 'tcp-guard', file, '--dry-run', '--port', String(port)]);
  assert.equal(status, 0);
  const printed = await command('sh', ['-c', stdout]);
  const id = printed.trim().split('\n').at(-1) ?? '';
  t.after(() => docker('rm', '-f', id));
  await until(async () => {
    return (await docker('inspect', '--format', '{{.State.Health.Status}}', id)) === 'healthy';
  }, 'the pasted sandbox to be healthy');
  assert.equal(await echoed(port + 1, 'hello'), 'hello');
});
