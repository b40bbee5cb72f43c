import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Duplex, Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import type { ExternalError } from '../platform/errors.ts';
import { runtimeBounds } from './bounds.ts';
import type { BuildSpec, ContainerSpec, Containers } from './containers.ts';
import { open } from './docker.ts';

const spec: ContainerSpec = {
  ...{ name: 'x', image: 'x', labels: {}, env: {}, ports: [], networks: [], hostNames: [], stdin: false },
};

/** Responds to one request for the exit status of a container. */
type Wait = (response: ServerResponse) => void;

const json = (response: ServerResponse, status: number, body: object): void =>
  void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

/** Sends headers, and never the status. */
const begins: Wait = (response) => void response.writeHead(200).flushHeaders();
const ends: Wait = (response) => json(response, 200, { StatusCode: 7 });
const isUnknown: Wait = (response) => json(response, 404, { message: 'no such container' });

const kinds = ['container', 'network', 'image'] as const;

const upgraded = 'HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n';

/** Responds to an attach. */
type Attach = (socket: Duplex) => void;

const endsOutputs: Attach = (socket) => void socket.end(upgraded);

async function served(t: TestContext, listener: RequestListener, attach = endsOutputs) {
  const folder = mkdtempSync(join(tmpdir(), 'guard-docker-'));
  const server = createServer(listener).on('upgrade', (_, socket) => attach(socket));
  t.after(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });
  const path = join(folder, 'socket');
  await once(server.listen(path), 'listening');
  return open({ address: { kind: 'unix', path }, origin: path }, t.signal);
}

/** A fake container runtime whose containers end their outputs at the attach. Uses one `Wait` for each exit status. */
function runtime(t: TestContext, ...waits: readonly Wait[]) {
  let calls = 0;
  return served(t, ({ url = '' }, response) => {
    if (url.includes('/version')) json(response, 200, { Version: '1', Arch: 'amd64' });
    else if (url.includes('/containers/create')) json(response, 201, { Id: 'c1' });
    else if (url.includes('/wait')) waits[calls++]?.(response);
    else response.writeHead(204).end();
  });
}

/** Runs a container with mocked timers. Returns its exit status, or the error. */
async function outcome(t: TestContext, ...waits: readonly Wait[]): Promise<unknown> {
  const containers = await runtime(t, ...waits);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { stdout, stderr, exit } = await containers.run(spec, t.signal);
  for (const stream of [stdout, stderr]) stream.resume();
  let found: unknown;
  const end = exit.then(
    (status) => (found = status),
    ({ failed }) => (found = failed.output),
  );
  while (found === undefined) {
    t.mock.timers.tick(1000);
    await Promise.race([end, new Promise((resolve) => void setImmediate(resolve))]);
  }
  return found;
}

/** A fake container runtime with these images, and the paths of the requests that remove one. */
async function withImages(t: TestContext, images: readonly object[]) {
  const removals: string[] = [];
  const containers = await served(t, ({ url = '', method }, response) => {
    if (method === 'DELETE') removals.push(url);
    json(response, 200, url.includes('/version') ? { Version: '1', Arch: 'amd64' } : images);
  });
  return { containers, removals };
}

test('an image is removed by each of its names and without force, so that others of its names stay', async (t) => {
  const named = {
    Id: 'sha256:0123456789abcdef',
    Created: 1,
    Labels: { x: '' },
    RepoTags: ['a:1', 'b:1'],
    RepoDigests: ['a@sha256:1'],
  };
  const pulled = { ...named, RepoTags: null };
  const unnamed = { ...named, RepoTags: ['<none>:<none>'], RepoDigests: ['<none>@<none>'] };
  const { containers, removals } = await withImages(t, [named, pulled, unnamed, { ...unnamed, RepoTags: [] }]);
  const items = await containers.list('image', 'x');
  assert.deepEqual(
    items.map(({ id, name }) => [id, name]),
    [
      ...['a:1', 'b:1', 'a@sha256:1'].map((name) => [name, name]),
      ...[1, 2].map(() => ['sha256:0123456789abcdef', '0123456789ab']),
    ],
  );
  for (const item of items.slice(0, 4)) await containers.remove(item);
  assert.deepEqual(
    removals.map((path) => path.replace(/^.*\/images\//, '')),
    ['a:1', 'b:1', 'a@sha256:1', 'sha256:0123456789abcdef'],
  );
});

test('keeps items without the label, which a container runtime lists that ignores filters', async (t) => {
  const [ours, foreign] = [{ x: 'one' }, { y: 'one' }];
  const lists = {
    container: [ours, { x: 'two' }, foreign, null].map((Labels, index) => ({
      Id: `${index}`,
      Names: ['/n'],
      Ports: [],
      Labels,
    })),
    network: [ours, { x: 'two' }, foreign, null].map((Labels, index) => ({ Id: `${index}`, Name: 'n', Labels })),
    image: [ours, { x: 'two' }, foreign, null].map((Labels, index) => ({ Id: `sha256:${index}`, Labels })),
  };
  const containers = await served(t, ({ url = '' }, response) => {
    const kind = kinds.find((one) => url.includes(`/${one}s`));
    json(response, 200, kind ? lists[kind] : { Version: '1', Arch: 'amd64' });
  });
  for (const kind of kinds) {
    assert.equal((await containers.list(kind, 'x')).length, 2, kind);
    assert.equal((await containers.list(kind, 'x', { value: 'one' })).length, 1, kind);
  }
});

test('reports a response that is not a list', async (t) => {
  const containers = await served(t, (_, response) => json(response, 200, { Version: '1', Arch: 'amd64' }));
  for (const kind of kinds)
    await assert.rejects(containers.list(kind, 'x'), (error: ExternalError) => {
      assert.equal(error.failed.output, 'the response is not a list');
      return true;
    });
});

test('a container whose status comes late, because the container runtime is busy, has this status', async (t) =>
  assert.equal(await outcome(t, begins, ends), 7));

test('a container runtime that does not know the container after its end has lost it', async (t) =>
  assert.equal(await outcome(t, begins, isUnknown), 'the connection to the container runtime ended'));

test('a container that does not start is removed, and its streams are closed', async (t) => {
  const closed = Promise.withResolvers<void>();
  const removals: string[] = [];
  const respond: RequestListener = ({ url = '', method = '' }, response) => {
    if (method === 'DELETE') removals.push(url);
    if (url.includes('/start')) json(response, 500, { message: 'no network' });
    else if (!url.includes('/wait')) json(response, 200, { Id: 'c1', Version: '1', Arch: 'amd64' });
  };
  const containers = await served(t, respond, (socket) => {
    socket.write(upgraded);
    socket.resume().on('end', closed.resolve);
  });
  await assert.rejects(containers.run(spec, t.signal), /starting the sandbox container/);
  await closed.promise;
  assert.equal(removals.length, 1);
});

test('a port that the container runtime refuses is named', async (t) => {
  const ports = [8080, 8443].map((hostPort) => ({ hostAddress: '127.0.0.1', hostPort, containerPort: 80 }) as const);
  for (const message of [
    'driver failed programming external connectivity on endpoint x: Bind for 127.0.0.1:8443 failed: port is already allocated',
    'failed to bind host port for 127.0.0.1:8443:172.17.0.2:443/tcp: address already in use',
    'Ports are not available: exposing port TCP 127.0.0.1:8443 -> 0.0.0.0:0: listen tcp: bind: permission denied',
    'rootlessport cannot expose privileged port 8443, you can add net.ipv4.ip_unprivileged_port_start=8443',
  ]) {
    const containers = await served(t, ({ url = '' }, response) => {
      if (url.includes('/start')) json(response, 500, { message });
      else if (!url.includes('/wait')) json(response, 200, { Id: 'c1', Version: '1', Arch: 'amd64' });
    });
    await assert.rejects(containers.run({ ...spec, ports }, t.signal), (error: ExternalError) => {
      assert.equal(error.message, 'the container runtime cannot publish port 8443');
      assert.match(error.hint ?? '', /choose another port: --port 8444$/);
      return true;
    });
  }
});

test('an interruption ends the wait for a container runtime that does not attach', async (t) => {
  const asked = Promise.withResolvers<void>();
  const respond: RequestListener = (_, response) => json(response, 200, { Id: 'c1', Version: '1', Arch: 'amd64' });
  const containers = await served(t, respond, () => asked.resolve());
  const interruption = new AbortController();
  const started = containers.run(spec, interruption.signal);
  void asked.promise.then(() => interruption.abort());
  await assert.rejects(started, /starting the sandbox container/);
});

type Call = (containers: Containers, signal: AbortSignal) => Promise<unknown>;
const network = { name: 'n', labels: {} };
const item = { kind: 'container', id: 'c1' } as const;
const build = (): BuildSpec => ({ tag: 'x', arguments: {}, context: Readable.from(['']) });
const calls: Readonly<Record<string, Call>> = {
  'listing networks': ({ list }, signal) => list('network', 'x', { signal }),
  'looking for the sandbox image': ({ hasImage }, signal) => hasImage('x', signal),
  'inspecting the sandbox container': ({ attachments }, signal) => attachments('c1', signal),
  'removing the container c1': ({ remove }, signal) => remove(item, signal),
  'reading the log of the sandbox': ({ follow }, signal) => follow('c1', 1, signal),
  'building the sandbox image': (containers, signal) => containers.build(build(), () => {}, signal),
};
const creations: Readonly<Record<string, Call>> = {
  'creating the sandbox network': ({ createNetwork }) => createNetwork(network),
  'creating the sandbox container': ({ run }, signal) => run(spec, signal),
};

/** A fake container runtime that never completes the response to a request other than `/version`. */
async function silent(t: TestContext, onRequest: () => void, respond: Wait) {
  return served(t, ({ url = '' }, response) => {
    if (url.includes('/version')) return json(response, 200, { Version: '1', Arch: 'amd64' });
    respond(response);
    onRequest();
  });
}

const silences: readonly Wait[] = [() => {}, begins, (response) => void response.writeHead(200).write('[{"Id":')];

for (const [name, call] of Object.entries({ ...calls, ...creations })) {
  test(`${name} ends after its time limit, also in the middle of a response`, async (t) => {
    for (const respond of name.startsWith('reading') ? silences.slice(0, 1) : silences) {
      const asked = Promise.withResolvers<void>();
      const containers = await silent(t, asked.resolve, respond);
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const ended = assert.rejects(call(containers, t.signal), (error: ExternalError) => {
        assert.equal(error.message, `${name} failed`);
        assert.match(error.failed.output ?? '', /^no response in \d+ s: restart the container runtime if it hangs$/);
        return true;
      });
      await asked.promise;
      t.mock.timers.tick(runtimeBounds.buildMs);
      await ended;
      t.mock.timers.reset();
    }
  });
}

for (const [name, call] of Object.entries(calls)) {
  test(`an interruption ends ${name}`, async (t) => {
    const interruption = new AbortController();
    const containers = await silent(
      t,
      () => interruption.abort(),
      () => {},
    );
    await assert.rejects(call(containers, interruption.signal), new RegExp(name));
  });
}
