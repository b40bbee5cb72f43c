import { basename } from 'node:path';
import { printable } from './escape.ts';
import { processes, socketInodesOf, tcpTables, textOrEmpty } from './proc.ts';

const listeningState = '0A';

/** Returns the inodes of the sockets that listen on this port. `table` has the format of /proc/self/net/tcp. */
export function listeningInodes(table: string, port: number): string[] {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table.split('\n').flatMap((line) => {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
    return local?.endsWith(ending) && state === listeningState && inode ? [inode] : [];
  });
}

/** Returns the name of a process. For Node it is the script, because all programs in Node have the same name. */
function nameOf(pid: string): string {
  const name = textOrEmpty(`/proc/${pid}/comm`).trim();
  const [, ...args] = textOrEmpty(`/proc/${pid}/cmdline`).split('\0');
  const script = name.startsWith('node') ? args.find((argument) => /^[\w./][\w./@-]*$/.test(argument)) : undefined;
  return printable(script ? basename(script) : name);
}

/**
 * Returns the process that listens on a port, such as `nginx (pid 4121)`. Returns undefined when no process listens, or
 * when the process belongs to another user.
 */
export function ownerOf(port: number): string | undefined {
  const wanted = tcpTables().flatMap((table) => listeningInodes(table, port));
  if (wanted.length === 0) return undefined;
  const pid = processes().find((name) => socketInodesOf(name).some((inode) => wanted.includes(inode)));
  return pid && `${nameOf(pid)} (pid ${pid})`;
}

/**
 * Returns `port 80 is in use: nginx (pid 4121) listens on 0.0.0.0:80`. @param address where the caller wanted to listen
 */
export const portInUse = (port: number, address: string, owner = ownerOf(port)): string =>
  `port ${port} is in use: ${owner ?? 'another process'} listens on ${address}`;
