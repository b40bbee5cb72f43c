/** Reads what the kernel of Linux knows of processes and sockets. Empty on other systems, and for what this user may not read. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The content of a file, or an empty text for one that cannot be read. */
export function textOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // a process of another user, or one that has ended
  }
}

export const processes = (): string[] => entriesOf('/proc').filter((name) => /^\d+$/.test(name));

/** The inodes of the sockets of a process. */
export const socketInodesOf = (pid: string): string[] =>
  entriesOf(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
    } catch {
      return []; // closed in between
    }
  });

/** The tables of TCP sockets: proc_pid_net(5). `/proc/self`, because a unit of systemd can hide the other entries of /proc. */
export const tcpTables = (): string[] => ['tcp', 'tcp6'].map((name) => textOrEmpty(`/proc/self/net/${name}`));
