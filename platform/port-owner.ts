import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { printable } from './escape.ts';

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

const listeningState = '0A';

/** Returns the inodes of the sockets that listen on this port. `table` has the format of /proc/self/net/tcp. */
export function listeningInodes(table: string, port: number): string[] {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table.split('\n').flatMap((line) => {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
    return local?.endsWith(ending) && state === listeningState && inode ? [inode] : [];
  });
}

function hasSocket(pid: string, wanted: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return wanted.has(readlinkSync(`/proc/${pid}/fd/${fd}`));
      } catch {
        return false; // closed in between
      }
    });
  } catch {
    return false; // a process of another user, or one that has ended
  }
}

/** Returns the name of a process. For Node it is the script, because all programs in Node have the same name. */
function nameOf(pid: string): string {
  const name = textOf(`/proc/${pid}/comm`).trim();
  const [, ...args] = textOf(`/proc/${pid}/cmdline`).split('\0');
  const script = name.startsWith('node') ? args.find((argument) => /^[\w./][\w./@-]*$/.test(argument)) : undefined;
  return printable(script ? basename(script) : name);
}

/**
 * Returns the process that listens on a port, such as `nginx (pid 4121)`. Returns undefined when no process listens, or
 * when the process belongs to another user.
 */
export function ownerOf(port: number): string | undefined {
  const inodes = ['tcp', 'tcp6'].flatMap((name) => listeningInodes(textOf(`/proc/self/net/${name}`), port));
  if (inodes.length === 0) return undefined;
  const wanted = new Set(inodes.map((inode) => `socket:[${inode}]`));
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && hasSocket(name, wanted));
  return pid && `${nameOf(pid)} (pid ${pid})`;
}

/**
 * Returns `port 80 is in use: nginx (pid 4121) listens on 0.0.0.0:80`. @param address where the caller wanted to listen
 */
export const portInUse = (port: number, address: string, owner = ownerOf(port)): string =>
  `port ${port} is in use: ${owner ?? 'another process'} listens on ${address}`;
