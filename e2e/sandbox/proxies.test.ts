/** Runs `guardcli sandbox` with the proxies other than Caddy, under both names of each. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { until } from '../../platform/testing/until.ts';
import { docker, fewProbes, freePort, run, runSandbox, skip, start, temporaryFile } from '../support/guardcli.ts';
import { listen } from '../support/listen.ts';

const example = join(packageRoot, 'examples/guard.json');

const names: readonly (readonly [neutral: string, name: string, title: string])[] = [
  ['proxya', 'traefik', 'Traefik'],
  ['proxyc', 'nginx', 'nginx'],
];

const statusOf = async (url: string): Promise<number> => (await fetch(url, { redirect: 'manual' })).status;

async function passes(
  t: TestContext,
  title: string,
  args: readonly string[],
  env: Record<string, string>,
  probes: string,
) {
  const port = await freePort();
  const { status, stdout, stderr, left } = await runSandbox(t, ['sandbox', ...args, '--test'], port, env);
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, new RegExp(`^${title} on http://localhost:${port}: PASSED, ${probes} probes in `));
  assert.deepEqual(left, []);
  return stderr;
}

for (const [neutral, , title] of names)
  test(`sandbox ${neutral} --test passes and leaves nothing behind`, { skip }, async (t) => {
    await passes(t, title, [neutral, example], {}, '\\d,\\d{3}');
  });

for (const [, name, title] of [['proxyb', 'caddy', 'Caddy'] as const, ...names])
  test(`sandbox ${name} --test --isolated passes, finds its events in securityLogFile, and leaves nothing behind`, {
    skip,
  }, async (t) => {
    const policy = { ...JSON.parse(readFileSync(example, 'utf8')), securityLogFile: '/var/log/guard/events.jsonl' };
    const args = [name, temporaryFile('guard.json', policy), '--isolated'];
    const stderr = await passes(t, title, args, fewProbes, '\\d{3}');
    assert.match(stderr, /note: securityLogFile is a file in the container; its events are read from there/);
  });

for (const [, name] of names)
  test(`what sandbox ${name} --dry-run prints works when pasted, copied sources included`, { skip }, async (t) => {
    const port = await freePort();
    const body = 'it\'s {{ no }} "$template"\n';
    const file = temporaryFile('guard.json', { blockPatterns: ["^/it's\\$HOME`x`"], response: { body } });
    const { status, stdout } = await run(t, ['sandbox', name, file, '--dry-run', '--port', String(port)]);
    assert.equal(status, 0);
    // A unique name causes a new build of the image.
    const [tag = ''] = new RegExp(`localhost/request-guard/${name}:\\w+`).exec(stdout) ?? [];
    const own = tag.replace(/:\w+$/, ':pasted');
    let id = '';
    // While a container uses the image, removal would only remove its name.
    t.after(async () => {
      if (id !== '') await docker('rm', '-f', id);
      await docker('rmi', '-f', own);
    });
    const printed = await command('sh', ['-c', stdout.replaceAll(tag, own)]);
    id = printed.trim().split('\n').at(-1) ?? '';
    const serves = async (): Promise<boolean> => (await statusOf(`http://127.0.0.1:${port}/`).catch(() => 0)) === 200;
    await until(serves, 'the pasted sandbox to serve');
    assert.equal(await statusOf(`http://127.0.0.1:${port}/.env`), 403);
    const answer = await fetch(`http://127.0.0.1:${port}/it's$HOME%60x%60`);
    assert.deepEqual([answer.status, await answer.text()], [403, body]);
  });

for (const [, name] of names)
  test(`sandbox ${name} --upstream asks a backend of the user’s by its own name`, { skip }, async (t) => {
    const hosts: (string | undefined)[] = [];
    const backend = createServer(({ headers }, answer) => {
      hosts.push(headers.host);
      answer.writeHead(418).end();
    });
    const behind = await listen(t, backend, '0.0.0.0');
    const port = await freePort();
    const upstream = `http://localhost:${behind}`;
    const running = start(t, ['sandbox', name, example, '--upstream', upstream, '--port', String(port)]);
    await running.says('serving on');
    assert.equal(await statusOf(`http://127.0.0.1:${port}/tea`), 418);
    assert.deepEqual(hosts, [`host.docker.internal:${behind}`]);
    assert.equal(await statusOf(`http://127.0.0.1:${port}/.env`), 403);
  });
