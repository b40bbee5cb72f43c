/** A process that runs out of descriptors. Its listener survives, and accepts again when descriptors are free. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Connection } from '../../plane.ts';
import { received } from '../sockets.ts';
import { dial, type Subject, test } from './rig.ts';

const program = (module: string, exported: string): string => `
  import { closeSync, openSync } from 'node:fs';
  import { ${exported} as create } from ${JSON.stringify(module)};
  const plane = create();
  const accept = (connection) => { connection.write(Buffer.from('x')); connection.end('close'); };
  const { endpoint } = await plane.listen({ host: '127.0.0.1', port: 0 }, { accept, unattributed() {}, fault() {} });
  const held = [];
  try { for (;;) held.push(openSync('/dev/null')); } catch {}
  plane.connect({ ip: '127.0.0.1', port: endpoint.port }, ({ why }) => process.send({ port: endpoint.port, why }));
  process.on('message', (message) => {
    if (message === 'release') for (const file of held) closeSync(file);
    process.send(Number.isFinite(plane.counters().exhaustedAt));
  });
`;

async function replyTo(child: ChildProcess, message: string): Promise<boolean> {
  child.send(message);
  const [answer] = await once(child, 'message');
  return answer;
}

export function exhaustionTests<C extends Connection>({ module, exported }: Subject<C>): void {
  test('survives the exhaustion of descriptors, reports it, and accepts again afterwards', async (t) => {
    const code = ['--input-type=module', '-e', program(module, exported)];
    const limited = ['-c', 'ulimit -n 128; exec "$0" "$@"', process.execPath, ...code];
    const child = spawn('/bin/sh', limited, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    t.after(() => child.kill('SIGKILL'));
    const [{ port, why }] = await once(child, 'message');
    assert.equal(why, 'exhausted');
    for (let count = 0; count < 20; count += 1) assert.equal((await received(dial(port))).bytes.length, 0);
    assert.equal(await replyTo(child, 'release'), true, 'the counters show the exhaustion');
    assert.equal((await received(dial(port))).bytes.toString(), 'x');
  });
}
