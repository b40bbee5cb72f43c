import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Bans } from '../bans/ban.ts';
import { dial, request } from './testing/connection.ts';
import { testCore } from './testing/core.ts';
import { start } from './testing/running-api.ts';

const clients = 20;

test('reads the list of bans once in a turn of the event loop, so that connections are served in between', async (t) => {
  let turns = 0;
  let next: NodeJS.Immediate;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  count();
  t.after(() => clearImmediate(next));
  const { bans } = testCore();
  const reads: number[] = [];
  const list: Bans['list'] = (options) => {
    reads.push(turns);
    return bans.list(options);
  };
  const { port } = await start(t, { control: { bans: { ...bans, list } } });
  const lines = Array.from({ length: clients }, () => dial(t, { port, host: '127.0.0.1' }));
  const answers = async (line: string, wanted: string) => {
    for (const { socket } of lines) socket.write(request(line)); // all arrive before the API reads one
    await Promise.all(lines.map(({ until }) => until((text) => text.includes(wanted))));
  };
  await answers('GET /ping', 'HTTP/1.1 200');
  await answers('GET /banlist', '"bans"');
  assert.equal(reads.length, clients);
  assert.equal(new Set(reads).size, clients);
});
