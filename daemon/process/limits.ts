/** Limits and addresses of the host. */
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { daemonBounds } from '../../contract/daemon/bounds.ts';

const descriptorsPerConnection = 2; // one for the client and one for the upstream

function descriptorLimit(): number {
  try {
    const text = readFileSync('/proc/self/limits', 'utf8');
    return Number(/^Max open files\s+(\d+)/m.exec(text)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY; // other systems have no such file, so the limit is unknown
  }
}

/** The number of connections that the descriptor limit allows. At least one. */
export function connectionCeiling(): number {
  const free = descriptorLimit() - daemonBounds.reservedDescriptors;
  return Math.max(1, Math.floor(free / descriptorsPerConnection));
}

function interfaces(): ReturnType<typeof networkInterfaces> {
  try {
    return networkInterfaces();
  } catch (cause) {
    const hint = 'allow netlink sockets (systemd: RestrictAddressFamilies=AF_NETLINK)';
    throw new Error(`cannot read the addresses of this host: ${hint}`, { cause });
  }
}

/** The addresses of this host, which are never banned. @throws Error when the system does not list them */
export function ownAddresses(): string[] {
  return Object.values(interfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}
