import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { clientOfPeer } from '../address/client.ts';
import { ConnectionTable } from './connection-table.ts';

function filled(...ips: readonly string[]) {
  const connections = new ConnectionTable();
  const cut: string[] = [];
  const leave = ips.map((ip, port) =>
    connections.enter({ client: clientOfPeer({ ip, port }), service: 'one', cut: () => cut.push(ip) }),
  );
  return { connections, cut, leave };
}

const cuts = [
  { network: '192.0.2.1', of: ['192.0.2.1', '192.0.2.2', '::ffff:192.0.2.1'], cut: ['192.0.2.1', '::ffff:192.0.2.1'] },
  { network: '192.0.2.0/31', of: ['192.0.2.1', '192.0.2.2'], cut: ['192.0.2.1'] },
  { network: '2001:db8::1', of: ['2001:db8::1', '2001:db8::2'], cut: ['2001:db8::1'] },
  {
    network: '2001:db8::/64',
    of: ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'],
    cut: ['2001:db8::1', '2001:db8::2'],
  },
  { network: '0.0.0.0/0', of: ['192.0.2.1', '2001:db8::1'], cut: ['192.0.2.1'] },
  { network: 'nonsense', of: ['192.0.2.1'], cut: [] },
];

for (const { network, of, cut: expected } of cuts)
  test(`a ban of ${network} cuts ${expected.join(', ') || 'none'} of ${of.join(', ')}`, () => {
    const { connections, cut } = filled(...of);
    assert.equal(
      connections.cutCovered(network, 'ban', () => false),
      expected.length,
    );
    assert.deepEqual(cut, expected);
  });

test('cuts the connections from addresses of a list, which can be longer than the list of connections', () => {
  const { connections, cut } = filled('192.0.2.1', '192.0.2.2', '2001:db8::1', '192.0.2.1');
  const listed = new Set(['192.0.2.1', '2001:db8::1', '198.51.100.1']);
  connections.cutWhere((ip) => listed.has(ip), 'ban');
  assert.deepEqual(cut.sort(), ['192.0.2.1', '192.0.2.1', '2001:db8::1']);
});

test('an entry counts once when it enters and once when it leaves', async () => {
  const { connections, leave } = filled('192.0.2.1', '192.0.2.1', '2001:db8::1', '2001:db8::2');
  const count = (ip: string, service?: string) => connections.countOf(clientOfPeer({ ip, port: 0 }), service);
  assert.deepEqual([count('192.0.2.1'), count('192.0.2.1', 'one'), count('192.0.2.1', 'two')], [2, 2, 0]);
  assert.equal(count('2001:db8::ffff'), 2);
  const free = connections.reserve(() => {});
  assert.equal(connections.size(), 5);
  leave[0]?.();
  leave[0]?.();
  assert.deepEqual([count('192.0.2.1'), connections.size(), connections.activeOn('one')], [1, 4, 3]);
  const empty = connections.untilEmpty();
  for (const left of leave) left();
  free();
  await empty;
  assert.equal(connections.size(), 0);
});

test('what left the table does not survive a collection of new objects', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;
  const connections = new ConnectionTable();
  const open: (() => void)[] = [];
  collect({ type: 'minor' });
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  for (let count = 0; count < 30_000; count += 1) {
    const held = new Array(200).fill(count);
    const client = clientOfPeer({ ip: `10.0.${count >> 8}.${count & 255}`, port: 1 });
    open.push(connections.enter({ client, service: 'one', cut: () => held.fill(0) }));
    if (open.length > 32) open.shift()?.();
    if (count % 500 !== 0) continue;
    collect({ type: 'minor' });
    most = Math.max(most, process.memoryUsage().heapUsed - before);
  }
  // Other tests of the process allocate at the same time.
  assert.ok(most < 12 * 1024 * 1024, `${most} bytes of 48,000,000`);
});
