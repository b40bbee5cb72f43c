/** Runs the steps of docs/traefik.md verbatim. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { parse, stringify } from 'yaml';
import { buildArtefact } from '../../artefacts/build.ts';
import { command } from '../../platform/command.ts';
import { collectOutput, endChild, hasEnded } from '../../platform/testing/child.ts';
import { until } from '../../platform/testing/until.ts';
import { blockWith } from '../../scripts/pages/blocks.ts';
import { freePort } from '../support/guardcli.ts';
import { listen } from '../support/listen.ts';
import { packPackage } from '../support/packed.ts';

let traefik = '';
before(async () => {
  traefik = await buildArtefact('traefik');
});

const block = (language: string, text: string): string => blockWith('docs/traefik.md', language, text);

async function backend(t: TestContext): Promise<string> {
  const server = createServer((_request, response) => response.end('from the backend'));
  return `http://127.0.0.1:${await listen(t, server)}`;
}

/** Writes the configurations of the page, with `keys` and with a path that has no guard. */
function configure(folder: string, port: number, url: string, keys: object = {}): void {
  const fixed = {
    entryPoints: { web: { address: `127.0.0.1:${port}` } },
    providers: { file: { filename: join(folder, 'dynamic.yml'), watch: false } },
    log: { noColor: true },
  };
  writeFileSync(join(folder, 'traefik.yml'), stringify({ ...parse(block('yaml', 'localPlugins:')), ...fixed }));
  const { http } = parse(block('yaml', 'checkQuery: true'));
  Object.assign(http.middlewares.guard.plugin.guard, keys);
  http.routers.free = { rule: 'Path(`/free`)', service: 'site' };
  const services = { site: { loadBalancer: { servers: [{ url }] } } };
  writeFileSync(join(folder, 'dynamic.yml'), stringify({ http: { ...http, services } }));
}

interface Running {
  readonly output: () => string;
  readonly hasEnded: () => boolean;
}

function run(t: TestContext, folder: string): Running {
  const child = spawn(traefik, ['--configFile=traefik.yml'], { cwd: folder });
  t.after(() => endChild(child));
  return { output: collectOutput(child), hasEnded: () => hasEnded(child) };
}

async function get(port: number, path: string): Promise<{ status: number; text: string; type: string | undefined }> {
  const sent = request({ host: '127.0.0.1', port, path, headers: { Host: 'example.com' }, agent: false }).end();
  const [answer] = await once(sent, 'response');
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk;
  return { status: answer.statusCode, text, type: answer.headers['content-type'] };
}

async function serving(port: number, { output, hasEnded }: Running): Promise<void> {
  await until(async () => {
    assert.ok(!hasEnded(), output());
    return (await get(port, '/free').catch(() => undefined))?.status === 200;
  }, 'Traefik to serve');
}

async function installed(): Promise<string> {
  const folder = await packPackage();
  await command('sh', ['-e', '-c', block('sh', 'plugins-local')], { cwd: folder });
  return folder;
}

test('the plugin of the package guards a Traefik that is set up as the page says', async (t) => {
  const folder = await installed();
  const port = await freePort();
  configure(folder, port, await backend(t));
  const running = run(t, folder);
  await serving(port, running);

  assert.equal((await get(port, '/')).text, 'from the backend');
  for (const path of ['/.env', '/a/..%2f.env', '/internal/x', '/x?file=../../etc/passwd']) {
    const { status, text, type } = await get(port, path);
    assert.deepEqual({ path, status, type }, { path, status: 403, type: 'application/json' });
    assert.doesNotMatch(text, /backend/);
  }
  const isEvent = (line: string): boolean => line.startsWith('{"type":"guard_block"') && line.includes('"traefik"');
  const events = (): string[] => running.output().split('\n').filter(isEvent);
  await until(async () => events().length === 4, 'the events');
  assert.equal((JSON.parse(events()[0] as string) as { rule_id: string }).rule_id, 'env-file');
});

test('every mistake in a policy is in the log, and nothing passes unguarded', async (t) => {
  const folder = await installed();
  const port = await freePort();
  configure(folder, port, await backend(t), { checkQuerry: true, blockPatterns: ['(?=x)'] });
  const running = run(t, folder);
  await serving(port, running);
  assert.equal((await get(port, '/')).status, 404);
  for (const path of ['checkQuerry', 'blockPatterns[0]']) assert.ok(running.output().includes(path), running.output());
});
