/** Many clients of modes with endless responses, the same for all proxies. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { ask } from './captcha/visitor.ts';

const maxHeld = 16;
const clients = 48;

/** Returns the policies by the first segment of their paths. */
export function policies() {
  const common = { methods: ['*'], securityLog: false };
  const held = { maxResponseSeconds: 3600, maxHeld, maxHeldPerAddress: maxHeld };
  return {
    stream: { ...common, response: { mode: 'infinite_stream', streamSizeMb: 102_400, ...held } },
    bomb: { ...common, response: { mode: 'gzip_bomb', gzipBombMb: 1024, ...held } },
  };
}

interface Client {
  readonly socket: Socket;
  readonly status: string;
}

/** Sends a request, and waits for the first bytes of the response. With `reads`, the client continues to read. */
async function openClient(port: number, path: string, reads: boolean): Promise<Client> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const [bytes] = await once(socket, 'data');
  if (reads) socket.resume();
  else socket.pause();
  return { socket, status: String(bytes).slice(9, 12) };
}

function close(list: readonly Client[]): void {
  for (const { socket } of list) socket.destroy();
}

/**
 * Opens clients until the proxy holds `maxHeld` of them. Closes the refused ones. At first the proxy can refuse more,
 * because it has not yet noticed that the clients of the previous test left.
 */
async function fill(port: number, path: string, reads: boolean): Promise<Client[]> {
  const held: Client[] = [];
  await until(async () => {
    const list = await Promise.all(Array.from({ length: clients }, () => openClient(port, path, reads)));
    const refused = list.filter(({ status }) => status === '403');
    close(refused);
    held.push(...list.filter((client) => !refused.includes(client)));
    return held.length >= maxHeld;
  }, `${maxHeld} requests to be held`);
  assert.deepEqual(new Set(held.map(({ status }) => status)), new Set(['200']));
  return held;
}

/**
 * Opens more clients than a proxy holds. At the end, `stop` ends the proxy while it holds the maximum number of
 * requests.
 */
export async function flood(t: TestContext, port: number, stop: () => Promise<void>): Promise<void> {
  for (const reads of [true, false])
    await t.test(`streams to clients that ${reads ? 'read' : 'do not read'} hold ${maxHeld} requests`, async () => {
      const list = await fill(port, '/stream/.env', reads);
      assert.equal(list.length, maxHeld);
      assert.equal((await ask(port, '/stream/')).status, 200, 'a clean request');
      close(list);
    });
  await t.test('bombs end, and leave their slots', async () => {
    const list = await fill(port, '/bomb/.env', true);
    assert.equal((await ask(port, '/bomb/')).status, 200, 'a clean request');
    close(list);
  });
  await t.test('a stop ends streams to clients that do not read', async () => {
    await fill(port, '/stream/.env', false);
    await stop();
  });
}
