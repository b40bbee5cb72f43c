/**
 * Hostile bytes on every socket of a running daemon while SIGHUP arrives again and again, then `kill -9`: it records no
 * fault, and what it has acknowledged is in force after the restart.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createRandom } from '../../conformance/differential/random.ts';
import { mutateBytes } from '../../conformance/fuzz/documents.ts';
import { protocols } from '../../contract/daemon/protocols.ts';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { until } from '../../platform/testing/until.ts';
import type { Side } from '../inspectors/inspector.ts';
import { fuzzInput } from '../inspectors/testing/fuzz.ts';
import { randomNumbers } from '../inspectors/testing/random.ts';
import { readVectors } from '../inspectors/testing/vector-files.ts';
import { guardedService, startUpstream, temporaryFolder } from '../testing/daemon.ts';
import { healthOf, type Spawned, send, spawnDaemon, withSocket } from '../testing/spawned.ts';

const [connections, reloads, acknowledged] = [300, 40, 20];
const seed = 1;
const random = randomNumbers(seed);

const files = readVectors();
const sources = new Map(
  protocols.map((protocol) => [
    protocol,
    {
      protocol,
      vectors: files.filter((file) => file.protocol === protocol).flatMap(({ vectors }) => vectors),
    },
  ]),
);
type Source = NonNullable<ReturnType<(typeof sources)['get']>>;

/** Sends the pieces of one side of a mutated conversation, and ends the connection in one of three ways. */
function misbehave(socket: Socket, source: Source, side: Side): void {
  socket.on('error', () => {}).resume();
  for (const { from, bytes } of fuzzInput(source, random).pieces) if (from === side) socket.write(bytes);
  const end = random();
  if (end < 0.4) socket.end();
  else if (end < 0.6) socket.resetAndDestroy();
  else setTimeout(() => socket.destroy(), 200 * random()).unref();
}

const apiSeeds = [
  'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET /events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: a-1\r\n\r\n',
  'GET /banlist?limit=5&ip=192.0.2.1&origin=all HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'POST /reload HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
  'POST /ban HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 17\r\n\r\n{"ip":"192.0.2.9"',
].map((text) => Buffer.from(text, 'latin1'));
const apiPieces = [...'\n\0 :%"{/?&=\xff;,', '\r\n', '\\u0000', '1e999', 'Transfer-Encoding: chunked\r\n'].map(
  (piece) => Buffer.from(piece, 'latin1'),
);
const apiRandom = createRandom(seed);

function misbehaveAtApi(to: NetConnectOpts): Socket {
  const socket = connect(to);
  socket.on('error', () => {}).resume();
  socket.write(mutateBytes(apiRandom.pick(apiSeeds), apiRandom, apiPieces, 3));
  setTimeout(() => socket.destroy(), 100).unref();
  return socket;
}

const listed = '203.0.113.0/24';
/** A line of an event file that names no client. */
const line = `{"time":"${new Date().toISOString()}"}\n`;

async function setUp(t: TestContext) {
  const folder = temporaryFolder();
  const upstreams = await Promise.all(
    [...sources.values()].map(async (source) => {
      const { port } = await startUpstream(t, (socket) => misbehave(socket, source, 'server'));
      return [source.protocol, guardedService(port, { protocol: source.protocol })] as const;
    }),
  );
  const [logFile, listFile, config] = ['auth.log', 'list.txt', 'tcp-guard.yaml'].map((name) => join(folder, name));
  writeFileSync(logFile as string, '');
  writeFileSync(listFile as string, `${listed}\n`);
  const file: DaemonFile = {
    services: Object.fromEntries(upstreams),
    lists: [{ file: listFile as string }],
    intake: [{ file: logFile as string }],
  };
  /** Replaces the configuration by one with another value. */
  const write = (failures: number) => {
    const wanted = withSocket(folder, { ...file, global: { ban_after_failures: failures } });
    writeFileSync(`${config}.new`, JSON.stringify({ ...wanted, api: { ...wanted.api, listen: '127.0.0.1:0' } }));
    renameSync(`${config}.new`, config as string);
  };
  write(5);
  const start = async () => {
    const daemon = spawnDaemon(t, config as string);
    await until(
      () => daemon.said.includes('ready') || daemon.hasEnded,
      () => daemon.said,
    );
    return daemon;
  };
  return { folder, logFile: logFile as string, listFile: listFile as string, write, start };
}

/** The listeners of a daemon, from the line with which it starts. */
function portsOf({ said }: Spawned): {
  readonly services: readonly (readonly [string, number])[];
  readonly api: number;
} {
  const listeners = [...said.matchAll(/(\S+) on \S*?:(\d+)(?=, |$)/gm)].map(([, name, port]) => [name, Number(port)]);
  const services = listeners.filter(([name]) => name !== 'API') as [string, number][];
  const api = listeners.find(([name]) => name === 'API')?.[1] as number;
  return { services, api };
}

async function flood(daemon: Spawned, folder: string): Promise<void> {
  const { services, api } = portsOf(daemon);
  assert.equal(services.length, protocols.length);
  for (let index = 0; index < connections; index += 1) {
    const [name, port] = services[index % services.length] as [string, number];
    const localAddress = `127.9.${index >> 8}.${index & 255}`;
    misbehave(connect({ port, host: '127.0.0.1', localAddress }), sources.get(name as never) as Source, 'client');
    const at = index % 2 === 0 ? { port: api, host: '127.0.0.1' } : { path: join(folder, 'api.sock') };
    await once(misbehaveAtApi(at), 'close');
  }
}

const get = async (folder: string, path: string) => {
  const value = JSON.parse(await send(folder, 'GET', path));
  assert.equal(value.error, undefined, JSON.stringify(value));
  return value;
};

test('hostile bytes on every socket, reloads and a kill lose nothing that was acknowledged', async (t) => {
  const { folder, logFile, listFile, write, start } = await setUp(t);
  const daemon = await start();
  appendFileSync(logFile, line.repeat(3));
  let isOver = false;
  const reloading = (async () => {
    for (let count = 0; count < reloads && !isOver; count += 1) {
      write(5 + (count % 7));
      daemon.kill('SIGHUP');
      await healthOf(folder);
    }
  })();
  const flooding = flood(daemon, folder);
  for (let host = 1; host <= acknowledged; host += 1) {
    assert.match(await send(folder, 'POST', '/ban', JSON.stringify({ ip: `198.51.100.${host}` })), /"banned_at"/);
    const allowed = JSON.stringify({ ip: `192.0.2.${100 + host}`, duration: '2h' });
    assert.match(await send(folder, 'POST', '/allow', allowed), /"expires_at"/);
  }
  await flooding;
  isOver = true;
  await reloading;
  const intake = async () => (await get(folder, '/stats')).intake[0].lines;
  await until(async () => (await intake()) === 3);
  await until(async () => (await get(folder, '/lists'))[0].entries === 1);
  await until(async () =>
    Object.values((await get(folder, '/stats')).services).every(
      (one) => (one as { active_connections: number }).active_connections === 0,
    ),
  );
  assert.equal(daemon.hasEnded, false);
  assert.deepEqual((await healthOf(folder)).reasons ?? [], []);
  assert.doesNotMatch(daemon.said, /failed: |inspector_fault|\n\s+at /);
  await until(
    () =>
      existsSync(join(folder, 'intake.json')) &&
      readFileSync(join(folder, 'intake.json'), 'utf8').includes(`"offset":${3 * line.length}`),
  );
  daemon.kill('SIGKILL');
  await once(daemon, 'close');
  rmSync(listFile);
  appendFileSync(logFile, line);
  await start();
  const { bans, exemptions } = await get(folder, '/banlist?limit=1000');
  const has = (rows: readonly { ip: string }[], ip: string) => rows.some((row) => row.ip === ip);
  for (let host = 1; host <= acknowledged; host += 1) {
    assert.ok(has(bans, `198.51.100.${host}`), `ban ${host}`);
    assert.ok(has(exemptions, `192.0.2.${100 + host}`), `exemption ${host}`);
  }
  assert.equal((await get(folder, '/lists'))[0].entries, 1);
  await until(async () => (await intake()) === 1);
});
