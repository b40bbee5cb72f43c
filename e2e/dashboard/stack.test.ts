/** The stack with the real compose tool, Loki and collector. The image of Grafana must be pulled, so it is left out. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { buildArtefact, isBuilt } from '../../artefacts/build.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { until } from '../../platform/testing/until.ts';
import { baseImage, didRegistryRespond } from '../../sandbox-images/bases.ts';
import { blockWith } from '../../scripts/pages/blocks.ts';
import { docker, freePorts, skip as noRuntime, program, run, start } from '../support/guardcli.ts';

const hasImage = (name: 'loki' | 'collector'): Promise<boolean> =>
  docker('image', 'inspect', '--format', 'x', baseImage(name)).then(
    () => true,
    () => false,
  );

async function lacking(): Promise<string | false> {
  if (noRuntime) return noRuntime;
  if (!(await isBuilt('compose'))) return 'the compose tool is not compiled: scripts/bootstrap stack';
  if (!(await hasImage('collector')) && didRegistryRespond() !== true)
    return 'the image of the collector is not here: scripts/bootstrap stack';
  const hasLoki = didRegistryRespond() === true || (await hasImage('loki'));
  return hasLoki ? false : 'the image of Loki is neither here nor within reach';
}
const skip = await lacking();

/** Prepares a stack in a folder with a space in its path. */
async function stackFor(t: TestContext) {
  const root = scratchFolder('guard stack-');
  mkdirSync(join(root, 'bin'));
  symlinkSync(await buildArtefact('compose'), join(root, 'bin/docker-compose'));
  const dir = join(root, 'of a user');
  const [loki = 0, grpc = 0, http = 0, health = 0] = await freePorts(4);
  const env = {
    PATH: `${join(root, 'bin')}:${process.env.PATH}`,
    GUARD_OTLP_GRPC_PORT: String(grpc),
    GUARD_OTLP_HTTP_PORT: String(http),
    GUARD_COLLECTOR_HEALTH_PORT: String(health),
  };
  // The name of the command group, as the page writes it.
  const [, group = ''] = blockWith('docs/observability.md', 'sh', 'dashboard up').split(' ');
  const words = (name: string, options: readonly string[]) => [group, name, '--dir', dir, ...options];
  const upOptions = ['--without', 'grafana', '--loki-port', String(loki)];
  const dashboard = (name: string, ...options: string[]) => run(t, words(name, options), env);
  t.after(async () => {
    await dashboard('down', '--volumes');
  });
  return {
    dir,
    loki,
    env,
    dashboard,
    up: (...options: string[]) => dashboard('up', ...upOptions, ...options),
    startUp: () => start(t, words('up', upOptions), env),
    project: async () => JSON.parse((await dashboard('status', '--json')).stdout).project as string,
    lokiUrl: async () =>
      JSON.parse((await dashboard('status', '--show-password', '--json')).stdout).secrets.lokiUrl as string,
  };
}

async function leftOf(project: string): Promise<Record<'containers' | 'networks' | 'volumes', string[]>> {
  const filter = ['--filter', `label=com.docker.compose.project=${project}`];
  const list = async (...args: string[]) =>
    (await docker(...args, ...filter)).split('\n').filter((line) => line !== '');
  return {
    containers: await list('ps', '-a', '--format', '{{.Names}}'),
    networks: await list('network', 'ls', '--format', '{{.Name}}'),
    volumes: await list('volume', 'ls', '--format', '{{.Name}}'),
  };
}

const event = (path: string): string =>
  `${JSON.stringify({
    type: 'guard_block',
    timestamp: new Date().toISOString(),
    gateway: 'caddy',
    mode: 'enforce',
    client_ip: '192.0.2.1',
    method: 'GET',
    path,
    reason: 'block_pattern_match',
    rule_id: 'env-file',
    action: '403',
  })}\n`;

/** Writes a file that only its owner can read, like an audit file. The collector runs as another user. */
function writeEvents(file: string, lines: string): void {
  writeFileSync(file, lines, { mode: 0o600 });
  if (process.getuid?.() === 0) chownSync(file, 65_534, 65_534);
}

const isOpen = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host);
    socket.on('connect', () => resolve(socket.destroy() !== undefined)).on('error', () => resolve(false));
  });

async function linesWith(lokiUrl: string, word: string): Promise<number> {
  const query = new URLSearchParams({ query: `{app="request-guard"} |= "${word}"` });
  const response = await fetch(`${lokiUrl}/loki/api/v1/query_range?${query}`);
  const { data } = (await response.json()) as { data: { result: { values: unknown[] }[] } };
  return data.result.flatMap(({ values }) => values).length;
}

describe('guardcli dashboard up', { skip }, () => {
  it('starts what stores the lines of event files; down keeps them, down --volumes does not', async (t) => {
    const stack = await stackFor(t);
    const { dir, loki } = stack;
    const first = await stack.up();
    assert.equal(first.status, 0, first.stderr);
    assert.match(first.stdout, /^The dashboard is running\n/);
    assert.match(first.stdout, new RegExp(`Loki +http://127\\.0\\.0\\.1:${loki} +healthy\n`));
    writeEvents(join(dir, 'logs/caddy.jsonl'), event('/.env'));
    const lokiUrl = await stack.lokiUrl();
    await until(async () => (await linesWith(lokiUrl, '/.env')) === 1, 'the event in Loki');

    const project = await stack.project();
    assert.equal((await stack.dashboard('down')).status, 0);
    const { volumes, ...others } = await leftOf(project);
    assert.deepEqual(others, { containers: [], networks: [] });
    assert.deepEqual(volumes.sort(), [`${project}_collector`, `${project}_loki`]);

    assert.equal((await stack.up()).status, 0);
    await until(async () => (await linesWith(lokiUrl, '/.env')) === 1, 'the stored event');
    const removed = await stack.dashboard('down', '--volumes');
    assert.match(removed.stdout, /^stopped; containers, network and volumes are removed\n$/);
    assert.deepEqual(await leftOf(project), { containers: [], networks: [], volumes: [] });
    assert.match((await stack.dashboard('down')).stdout, /^the dashboard is not running\n$/);
  });

  it('changes nothing when the stack runs, and repairs one that runs in part', async (t) => {
    const stack = await stackFor(t);
    assert.equal((await stack.up()).status, 0);
    const running = JSON.parse((await stack.up('--json')).stdout);
    assert.equal(running.wasRunning, true);
    const { containers } = await leftOf(running.project);
    await docker('kill', containers.find((name) => name.includes('loki')) ?? '');
    const broken = await stack.dashboard('status', '--json');
    assert.equal(broken.status, 1);
    const stateOf = (json: string) =>
      JSON.parse(json).services.map((one: { name: string; state: string }) => `${one.name} ${one.state}`);
    assert.deepEqual(stateOf(broken.stdout), ['grafana absent', 'loki exited', 'collector running']);
    const repaired = await stack.up('--json');
    assert.equal(repaired.status, 0, repaired.stderr);
    assert.equal(JSON.parse(repaired.stdout).wasRunning, false);
    const withoutGrafana = await stack.dashboard('status', '--json');
    assert.deepEqual([withoutGrafana.status, stateOf(withoutGrafana.stdout)[1]], [1, 'loki running']);
  });

  it('starts a service again when its configuration changed', async (t) => {
    const stack = await stackFor(t);
    assert.equal((await stack.up()).status, 0);
    writeFileSync(join(stack.dir, 'loki/extra.yaml'), '# a rule\n');
    assert.equal(JSON.parse((await stack.up('--json')).stdout).wasRunning, false);
  });
});

describe('the secret of the stack', { skip }, () => {
  it('is required by Loki, and is in no message, no argument of a process and no open port', async (t) => {
    const stack = await stackFor(t);
    const started = await stack.up();
    const lokiUrl = await stack.lokiUrl();
    const secret = new URL(lokiUrl).pathname.slice(1);
    assert.match(secret, /^[0-9a-f]{32}$/);
    const statusOf = async (url: string) => (await fetch(url)).status;
    assert.deepEqual([await statusOf(`${lokiUrl}/ready`), await statusOf(new URL('/ready', lokiUrl).href)], [200, 404]);
    for (const { stdout, stderr } of [started, await stack.dashboard('status'), await stack.up('--json')])
      assert.ok(!`${stdout}${stderr}`.includes(secret));

    const [id = ''] = (await leftOf(await stack.project())).containers.filter((name) => name.includes('loki'));
    const inspected = (format: string) => docker('inspect', '--format', format, id);
    assert.ok(!(await docker('top', id, '-o', 'pid,args')).includes(secret));
    const address = (await inspected('{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}')).trim();
    const open = await Promise.all([3100, 9095].map((port) => isOpen(port, address)));
    assert.deepEqual(open, [true, false]);
  });

  it('is replaced where its line is removed, with every service that uses it', async (t) => {
    const stack = await stackFor(t);
    assert.equal((await stack.up()).status, 0);
    const before = await stack.lokiUrl();
    const file = join(stack.dir, '.env');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^GUARD_SECRET=.*\n/m, ''));
    const { status, stderr } = await stack.up();
    assert.equal(status, 0, stderr);
    assert.equal((await fetch(`${before}/ready`)).status, 404);
    writeEvents(join(stack.dir, 'logs/caddy.jsonl'), event('/again'));
    const lokiUrl = await stack.lokiUrl();
    await until(async () => (await linesWith(lokiUrl, '/again')) === 1, 'the event in Loki');
  });
});

describe('a start that fails', { skip }, () => {
  it('refuses a port in use, and names the process', async (t) => {
    const stack = await stackFor(t);
    const server = createServer();
    await once(server.listen(stack.loki, '127.0.0.1'), 'listening');
    t.after(() => server.close());
    const { status, stderr } = await stack.up();
    assert.equal(status, 3);
    const message = `error: port ${stack.loki} is in use: \\S+ \\(pid ${process.pid}\\) listens on 127\\.0\\.0\\.1:${stack.loki}\\. `;
    assert.match(stderr, new RegExp(`^${message}Stop it, or choose another port: --loki-port ${stack.loki + 1}\\.\n$`));
    assert.deepEqual((await leftOf(await stack.project())).containers, []);
  });

  it('says that the container runtime does not respond', async (t) => {
    const stack = await stackFor(t);
    const env = { ...stack.env, DOCKER_HOST: 'unix:///nowhere/docker.sock' };
    const { status, stderr } = await run(t, ['dashboard', 'up', '--dir', stack.dir], env);
    assert.equal(status, 3);
    assert.match(stderr, /^error: the container runtime does not respond\.\n/);
  });

  it('suggests to leave out Grafana where only its image cannot be pulled', async (t) => {
    const stack = await stackFor(t);
    await run(t, ['dashboard', 'export', stack.dir, '--loki-port', String(stack.loki)], stack.env);
    const file = join(stack.dir, 'compose.yaml');
    const image = 'image: 127.0.0.1:1/grafana:1';
    writeFileSync(file, readFileSync(file, 'utf8').replace(/image: \$\{GUARD_GRAFANA_IMAGE.*/, image));
    const [port = 0] = await freePorts(1);
    const { status, stderr } = await stack.dashboard('up', '--port', String(port));
    assert.equal(status, 3);
    assert.match(stderr, /error: the image of grafana cannot be pulled\.\n[\s\S]*connection refused/);
    assert.match(stderr, /`guardcli dashboard up --without grafana` starts the others/);
    assert.deepEqual((await leftOf(await stack.project())).containers, []);
  });

  it('says why a service ended, with its last words', async (t) => {
    const stack = await stackFor(t);
    await run(t, ['dashboard', 'export', stack.dir, '--loki-port', String(stack.loki)], stack.env);
    appendFileSync(join(stack.dir, 'loki/loki.yaml'), 'no_such_section: 1\n');
    const { status, stderr } = await stack.up();
    assert.equal(status, 3);
    assert.match(stderr, /error: loki ended while it started\.\n[\s\S]*no_such_section/);
  });
});

describe('an interrupted start', { skip }, () => {
  for (const moment of ['starting', 'waiting'])
    it(`leaves no container and no network when it is interrupted while ${moment}`, async (t) => {
      const stack = await stackFor(t);
      const running = stack.startUp();
      await running.says(moment);
      running.child.kill('SIGINT');
      assert.equal(await running.ended, 130);
      const { containers, networks } = await leftOf(await stack.project());
      assert.deepEqual({ containers, networks }, { containers: [], networks: [] });
    });

  it('leaves a stack that ran before when it is interrupted', async (t) => {
    const stack = await stackFor(t);
    assert.equal((await stack.up()).status, 0);
    const project = await stack.project();
    const { containers } = await leftOf(project);
    await docker('stop', ...containers);
    const running = stack.startUp();
    await running.says('starting');
    running.child.kill('SIGINT');
    assert.equal(await running.ended, 130);
    assert.deepEqual((await leftOf(project)).containers.sort(), containers.sort());
  });
});

/** Starts a stack in a mount namespace, after the shell command `mount` has mounted the folder of the stack. */
async function upMounted(mount: string): Promise<{ status: number; stderr: string }> {
  const dir = scratchFolder('guard-mount-');
  const script = `${mount} && exec "$NODE" "$PROGRAM" dashboard up --dir "$DIR/stack"`;
  const env = { ...process.env, DIR: dir, NODE: process.execPath, PROGRAM: program };
  const child = spawn('unshare', ['--mount', 'sh', '-c', script], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { status, stderr };
}

describe('a folder of the stack', {
  skip: process.getuid?.() === 0 ? false : 'mounting a file system needs root',
}, () => {
  it('on a read-only mount is refused', async () => {
    const mount = 'mount --bind "$DIR" "$DIR" && mount -o remount,ro,bind "$DIR"';
    const { status, stderr } = await upMounted(mount);
    assert.equal(status, 2, stderr);
    assert.match(
      stderr,
      /^error: cannot write the files of the stack to .*: the file system is read-only\. Choose a folder that you can write/,
    );
  });

  it('on a full disk is an error that says so', async () => {
    const { status, stderr } = await upMounted('mount -t tmpfs -o size=16k tmpfs "$DIR"');
    assert.equal(status, 3, stderr);
    assert.match(stderr, /^error: cannot write the files of the stack to .*: ENOSPC: .*Free some space\.\n$/);
  });
});
