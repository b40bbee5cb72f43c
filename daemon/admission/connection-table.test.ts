import assert from 'node:assert/strict';
import { test } from 'node:test';
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
    assert.equal(connections.cutCovered(network, 'ban'), expected.length);
    assert.deepEqual(cut, expected);
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
  const empty = connections.empty();
  for (const left of leave) left();
  free();
  await empty;
  assert.equal(connections.size(), 0);
});
