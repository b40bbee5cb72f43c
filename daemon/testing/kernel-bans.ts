/** For tests: services whose clients the kernel refuses. */
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { createKernelBans } from '../kernel-bans/index.ts';
import { bytesOf, received, type Started } from './daemon.ts';

/** An address of this host that is not in `never_ban`. */
export const client = '127.0.0.7';

const attempt = (): string | false => {
  const none = () => {};
  const { state, close } = createKernelBans({
    mode: 'bpf',
    now: Date.now,
    record: none,
    account: none,
    fault: none,
    checkClock: none,
  });
  const { mechanism, reason } = state();
  void close();
  return mechanism === 'user_space' && `${reason}, so this machine cannot refuse in the kernel`;
};

/** Why tests are skipped. */
export const skip = attempt();

/** A refusal that does not come would be waited for without end. */
export const timeout = 120_000;

/** Bans in the kernel; not in the kernel where `bans` says so. */
export const withKernel = ({ global, bans, ...file }: DaemonFile, workers = 1): DaemonFile => ({
  bans: { kernel: 'bpf', ...bans },
  global: { workers, ...global },
  ...file,
});

/** Whether a service echoes a byte to an address. */
export async function isServed(
  { dial }: Pick<Started, 'dial'>,
  localAddress: string,
  service = 'one',
): Promise<boolean> {
  const socket = dial(service, { localAddress });
  socket.write('x');
  return Promise.race([bytesOf(socket, 1).then(() => true), received(socket).then(() => false)]);
}

/**
 * Why the kernel refuses an address: its records have no port of the client. User space of a worker refuses until the list has
 * reached that worker, and resets the connection, so the client tries again.
 */
export async function refusalOf({ dial, event }: Started, localAddress: string, service = 'one'): Promise<string> {
  let isOver = false;
  let socket = new Socket();
  const attempt = () => {
    socket = dial(service, { localAddress, allowHalfOpen: false }).resume();
    socket.on('close', () => {
      if (!isOver) attempt();
    });
  };
  attempt();
  const { reason } = await event(
    ({ action, client_ip, client_port, service: at }) =>
      action === 'blocked' && at === service && client_ip === localAddress && client_port === 0,
  );
  isOver = true;
  assert.ok(socket.connecting, 'the client waits');
  socket.destroy();
  return reason;
}
