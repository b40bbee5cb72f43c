import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { hostSockets, readSockets } from './sockets.ts';
import { clientsOf, portsOf } from './ssh-clients.ts';

const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 101 1 0000000000000000 100 0 0 10 0
   1: 0A0200C0:0016 077133C6:B2F4 01 00000000:00000000 02:000A9D5B 00000000     0        0 102 2 0000000000000000 20 4 29 10 -1
   2: 0A0200C0:0050 097133C6:B2F4 01 00000000:00000000 02:000A9D5B 00000000     0        0 103 2 0000000000000000 20 4 29 10 -1
   3: 0A0200C0:08AE 0A7133C6:B2F4 01 00000000:00000000 02:000A9D5B 00000000     0        0 104 2 0000000000000000 20 4 29 10 -1
   4: 0A0200C0:D431 0B7133C6:0016 01 00000000:00000000 02:000A9D5B 00000000     0        0 105 2 0000000000000000 20 4 29 10 -1
`;
const table6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: B80D0120000000000000000001000000:0016 B80D0120000000000000000007000000:B2F4 01 00000000:00000000 02:000A9D5B 00000000     0        0 201 2
   1: 0000000000000000FFFF00000A0200C0:0016 0000000000000000FFFF0000087133C6:B2F4 01 00000000:00000000 02:000A9D5B 00000000     0        0 202 2
`;

test('reads the tables of the kernel', () => {
  const rows = [...readSockets(table), ...readSockets(table6)];
  assert.deepEqual(
    rows.map(({ local, localPort, remote, isListening, inode }) => [local, localPort, remote, isListening, inode]),
    [
      ['0.0.0.0', 22, '0.0.0.0', true, '101'],
      ['192.0.2.10', 22, '198.51.113.7', false, '102'],
      ['192.0.2.10', 80, '198.51.113.9', false, '103'],
      ['192.0.2.10', 2222, '198.51.113.10', false, '104'],
      ['192.0.2.10', 54_321, '198.51.113.11', false, '105'],
      ['2001:db8::1', 22, '2001:db8::7', false, '201'],
      ['192.0.2.10', 22, '198.51.113.8', false, '202'],
    ],
  );
});

test('finds the clients of sshd by its ports and by its sockets', () => {
  const sockets = [...readSockets(table), ...readSockets(table6)];
  const byPort = ['198.51.113.7', '2001:db8::7', '198.51.113.8'];
  assert.deepEqual(clientsOf(sockets, [22], new Set()), byPort);
  assert.deepEqual(clientsOf(sockets, [22, 2222], new Set()), byPort); // nothing listens on port 2222
  assert.deepEqual(clientsOf(sockets, [22], new Set(['104'])), [byPort[0], '198.51.113.10', ...byPort.slice(1)]);
});

test('reads the ports of sshd from its configuration', () => {
  assert.deepEqual(
    portsOf(
      '#Port 1\n  Port 2222\nport=2200\nListenAddress 0.0.0.0:2022\nListenAddress [::]:2023\nListenAddress ::1\n',
    ),
    [2222, 2200, 2022, 2023],
  );
});

test('sees a connection of this host', { skip: process.platform !== 'linux' }, async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  t.after(() => {
    socket.destroy();
    server.close();
  });
  const isSeen = () => hostSockets().some(({ localPort, isEstablished }) => localPort === port && isEstablished);
  await until(isSeen, 'the connection');
  assert.deepEqual(clientsOf(hostSockets(), [port], new Set()), ['127.0.0.1']);
});
