/** tcp-guard for the picture of its screen, with bans and with a client that one of them refuses. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { freePorts } from '../../platform/free-ports.ts';
import { startGuard } from '../tcp-guard-process.ts';
import type { Owner } from '../tmux.ts';

const banned = [
  ['198.51.100.23', 'ssh: 5 failed logins within 60 s'],
  ['203.0.113.77', 'smtp: 5 failed logins within 60 s'],
  ['2001:db8:4f::/64', 'scanner'],
  ['192.0.2.146', 'imap: 5 failed logins within 60 s'],
] as const;
const refused = '127.0.0.40';

/** Returns the socket of its API. */
export async function startDaemonWithBans(owner: Owner): Promise<string> {
  const [ssh = 0, smtp = 0, imap = 0, upstream = 0] = await freePorts(4);
  const service = (protocol: string, port: number) => ({
    ...{ protocol, listen: `127.0.0.1:${port}`, upstream: `127.0.0.1:${upstream}` },
  });
  const services = { ssh: service('ssh', ssh), mail: service('smtp', smtp), mailbox: service('imap', imap) };
  const { ask, socket } = await startGuard(owner, { services }, { never_ban: [] });
  for (const [ip, reason] of [...banned, [refused, 'scanner']]) {
    const { status, body } = await ask('POST', '/ban', { ip, reason });
    if (status !== 201) throw new Error(`tcp-guard does not ban ${ip}: ${body}`);
  }
  const client = connect({ port: ssh, host: '127.0.0.1', localAddress: refused });
  client.on('error', () => {});
  await once(client, 'close');
  return socket;
}
