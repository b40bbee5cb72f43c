import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { freePorts } from '../../platform/free-ports.ts';
import { until } from '../../platform/testing/until.ts';
import type { Owner } from '../support/tmux.ts';
import { startGuard } from '../tcp-guard/process.ts';

const bannedNetworks = [
  ['198.51.100.23', 'ssh: 5 failed logins within 60 s'],
  ['203.0.113.77', 'smtp: 5 failed logins within 60 s'],
  ['2001:db8:4f::/64', 'scanner'],
  ['192.0.2.146', 'imap: 5 failed logins within 60 s'],
] as const;
const refusedAddress = '127.0.0.40';

export interface AttackedDaemon {
  readonly socket: string;
  /** Opens connections that tcp-guard refuses. */
  readonly attack: () => Promise<void>;
}

async function visit(port: number, localAddress: string, bytes: string): Promise<void> {
  const client = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
  client.resume().write(bytes);
  await once(client, 'close');
}

export async function startDaemonWithBans(owner: Owner): Promise<AttackedDaemon> {
  const [ssh = 0, smtp = 0, imap = 0, upstream = 0] = await freePorts(4);
  const service = (protocol: string, port: number) => ({
    ...{ protocol, listen: `127.0.0.1:${port}`, upstream: `127.0.0.1:${upstream}` },
  });
  const services = { ssh: service('ssh', ssh), mail: service('smtp', smtp), mailbox: service('imap', imap) };
  const { ask, socket } = await startGuard(owner, { services }, { never_ban: [] });
  for (const [ip, reason] of [...bannedNetworks, [refusedAddress, 'scanner']]) {
    const { status, body } = await ask('POST', '/ban', { ip, reason });
    if (status !== 201) throw new Error(`tcp-guard does not ban ${ip}: ${body}`);
  }
  const server = createServer((client) => client.on('error', () => {})).listen(upstream, '127.0.0.1');
  await once(server, 'listening');
  owner.after(() => void server.close());
  const visits = [
    [ssh, refusedAddress, ''],
    [ssh, '127.0.0.51', 'GET / HTTP/1.1\r\nHost: example.com\r\n\r\n'],
    [smtp, '127.0.0.52', 'GET /.env HTTP/1.1\r\n\r\n'],
    [imap, '127.0.0.53', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\r\n'],
    [smtp, refusedAddress, ''],
  ] as const;
  const attack = async (): Promise<void> => {
    const isRead = async () => (await ask('GET', '/metrics')).body.includes('event_readers 1\n');
    await until(isRead, 'the screen to read events');
    for (const [port, address, bytes] of visits) await visit(port, address, bytes);
  };
  return { socket, attack };
}
