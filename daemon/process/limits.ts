/** What the system lets the process have. */
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { daemonBounds } from '../../contract/daemon/bounds.ts';

const descriptorsPerConnection = 2; // the client's and the upstream's

function descriptorLimit(): number {
  try {
    const text = readFileSync('/proc/self/limits', 'utf8');
    return Number(/^Max open files\s+(\d+)/m.exec(text)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY; // no such file on this system: then nothing is known
  }
}

/** Connections that the descriptor limit carries; at least one, at most a limit without end. */
export function connectionCeiling(): number {
  const free = descriptorLimit() - daemonBounds.reservedDescriptors;
  return Math.max(1, Math.floor(free / descriptorsPerConnection));
}

function interfaces(): ReturnType<typeof networkInterfaces> {
  try {
    return networkInterfaces();
  } catch (cause) {
    const hint = 'netlink sockets have to be allowed (systemd: RestrictAddressFamilies=AF_NETLINK)';
    throw new Error(`the addresses of this machine cannot be read: ${hint}`, { cause });
  }
}

/** Addresses of this machine, which are never banned. @throws Error where the system does not tell them */
export function ownAddresses(): string[] {
  return Object.values(interfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}
