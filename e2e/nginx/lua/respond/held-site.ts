import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type Nginx, startNginx } from './nginx.ts';
import { open, request } from './wire.ts';

const endlessTarpit = { mode: 'tarpit', tarpitDelayMs: 10, tarpitMaxDurationSeconds: 3600 } as const;

const policies = {
  tarpit: { response: { mode: 'tarpit', tarpitDelayMs: 300, tarpitMaxDurationSeconds: 1 } },
  endless: { response: { ...endlessTarpit, maxHeld: 3, maxHeldPerAddress: 2, headers: { 'X-Own': 'yes' } } },
  crowd: { response: { ...endlessTarpit, maxHeld: 1, maxHeldPerAddress: 9 } },
  bomb: { response: { mode: 'gzip_bomb', gzipBombMb: 3 } },
  big: { response: { mode: 'gzip_bomb', gzipBombMb: 100 } },
  stream: { response: { mode: 'infinite_stream', streamSizeMb: 32 } },
  long: { response: { mode: 'infinite_stream', streamSizeMb: 102_400 } },
  slow: { response: { mode: 'infinite_stream', streamSizeMb: 100, maxResponseSeconds: 1 } },
} as const;

export const start = (t: TestContext, more = {}): Promise<Nginx> => startNginx(t, { policies, ...more });

export async function heldCount({ port }: Nginx): Promise<number> {
  return Number(await (await fetch(`http://127.0.0.1:${port}/held`)).text());
}

export async function untilHeld(nginx: Nginx, wanted: number): Promise<void> {
  while ((await heldCount(nginx)) !== wanted) await turn();
}

/** Sends a request, and waits for the first bytes of its response. nginx then holds the request. */
export async function openHeldRequest(nginx: Nginx, path: string) {
  const socket = await open(nginx.port);
  socket.on('error', () => {});
  socket.write(request('GET', path));
  await once(socket, 'data');
  return socket;
}

export const bodyAfterHead = (bytes: string) => bytes.slice(bytes.indexOf('\r\n\r\n') + 4);
