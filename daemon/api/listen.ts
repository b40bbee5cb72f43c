/** The listeners of the API: a TCP port, and a Unix socket that is protected by its file mode. */
import { once } from 'node:events';
import { existsSync, lstatSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type ListenOptions } from 'node:net';
import { dirname } from 'node:path';
import process from 'node:process';
import { parseListen } from '../../contract/values/endpoint.ts';
import { listenFailure } from '../process/in-use.ts';

const listen = (server: Server, options: ListenOptions) => once(server.listen(options), 'listening');

function addressText({ address, port }: AddressInfo): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Returns the address with its actual port. */
export async function listenTcp(server: Server, text: string): Promise<string> {
  const endpoint = parseListen(text);
  if (!endpoint) throw new Error(`api.listen: ${text} is not a listen address`);
  const { host, port } = endpoint;
  await listen(server, host === '' ? { port } : { host, port }).catch((cause) => {
    throw new Error(listenFailure(cause, endpoint), { cause });
  });
  return addressText(server.address() as AddressInfo);
}

async function isAccepting(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(path, () => resolve(true));
  socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'ECONNREFUSED'));
  const answered = await promise;
  socket.destroy();
  return answered;
}

/** Removes the socket file that a killed daemon has left. Names a missing folder, which Node reports as EACCES. */
async function removeStaleSocket(path: string): Promise<void> {
  const file = lstatSync(path, { throwIfNoEntry: false });
  const folder = dirname(path);
  if (!file && !existsSync(folder))
    throw new Error(`api.socket: the folder ${folder} does not exist: create it or choose another path`);
  if (!file) return;
  if (!file.isSocket()) throw new Error(`api.socket: ${path} exists and is not a socket`);
  if (await isAccepting(path))
    throw new Error(`api.socket: another process listens on ${path}: stop it or choose another path`);
  rmSync(path, { force: true });
}

/** The umask for a socket with mode 0660. */
const socketUmask = 0o117;

/** Listens on a socket file. The umask is set while the file is created, so its mode is never wider. */
export async function listenUnix(server: Server, path: string): Promise<string> {
  await removeStaleSocket(path);
  const before = process.umask(socketUmask);
  let listening: Promise<unknown>;
  try {
    listening = listen(server, { path });
  } finally {
    process.umask(before);
  }
  await listening;
  return path;
}
