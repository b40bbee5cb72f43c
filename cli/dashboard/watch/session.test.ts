import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../../platform/assets.ts';
import { findBoards } from '../boards/find.ts';
import { Session } from './session.ts';
import { initialWatch } from './state.ts';

test('the dashboard scrolls to its last line and not beyond, so that one key scrolls back', () => {
  const boards = findBoards(join(packageRoot, 'observability'));
  const session = new Session(initialWatch(boards, 0, undefined), {
    ...{ loki: 'http://127.0.0.1:1', now: Date.now, columns: () => 80, open: async () => '' },
  });
  const size = { columns: 80, rows: 12 };
  const scrollAfter = (name: 'up' | 'pageDown', count: number, rows = size.rows) => {
    for (let pressed = 0; pressed < count; pressed += 1) session.press({ text: '', name }, { ...size, rows });
    return session.state.scroll;
  };
  const end = scrollAfter('pageDown', 100);
  assert.ok(end > 0 && end < 1000, String(end));
  assert.equal(scrollAfter('pageDown', 1), end);
  assert.equal(scrollAfter('up', 1), end - 1);
  scrollAfter('pageDown', 1);
  assert.equal(scrollAfter('up', 1, size.rows + 3), end - 3 - 1, 'the terminal has become higher');
});

test('a reload during the live tail skips only the first panel with log lines', async (t) => {
  const board = findBoards(join(packageRoot, 'observability')).find(({ panels }) =>
    panels.some(({ drawing }) => drawing === 'logs'),
  );
  const logs = board?.panels.find(({ drawing }) => drawing === 'logs');
  assert.ok(board && logs);
  const withSelector = (selector: string) => ({ ...logs, queries: [{ expr: selector, legend: '', isInstant: false }] });
  const boards = [{ ...board, panels: [withSelector('{panel="first"}'), withSelector('{panel="second"}')] }];
  const queries: (string | null)[] = [];
  const server = createServer(({ url = '' }, response) => {
    queries.push(new URL(url, 'http://loki').searchParams.get('query'));
    response.end('{"status":"success","data":{"resultType":"streams","result":[]}}');
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const session = new Session(initialWatch(boards, 0, undefined), {
    ...{ loki: `http://127.0.0.1:${port}`, now: Date.now, columns: () => 80, open: async () => '' },
  });
  await session.load(t.signal);
  session.state = { ...session.state, isTailing: true };
  await session.load(t.signal);
  assert.deepEqual(queries.toSorted(), ['{panel="first"}', '{panel="second"}', '{panel="second"}']);
});
