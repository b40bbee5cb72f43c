/** For tests: services whose clients the kernel refuses. */
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { createKernelBans } from '../kernel-bans/index.ts';
import { bytesOf, received, type Started } from './daemon.ts';

/** An address of this host that is not in `never_ban`. */
export const client = '127.0.0.7';

const whySkipped = (): string | false => {
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

/** Why this machine cannot run tests of bans in the kernel. False when it can. */
export const skip = whySkipped();

/** Time limit of a test: without it, a test would wait forever for a refusal that does not happen. */
export const timeout = 120_000;

/** Returns the configuration with bans in the kernel, unless its section `bans` sets something else. */
export const withKernel = ({ global, bans, ...file }: DaemonFile, workers = 1): DaemonFile => ({
  bans: { kernel: 'bpf', ...bans },
  global: { workers, ...global },
  ...file,
});

/** Whether a service accepts a connection from an address and echoes a byte. */
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
 * Connects until the kernel refuses the address. Returns the reason from the audit. Until the list has reached the
 * kernel, a worker resets the connections. The records of a worker have a port of the client, the records of the kernel
 * have none.
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
