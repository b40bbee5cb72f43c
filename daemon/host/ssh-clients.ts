/** Who is connected to the SSH server of this host: a ban of the owner's address would lock the owner out. */
import { globSync } from 'node:fs';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { isPrivate } from '../../contract/values/private.ts';
import { processes, socketInodesOf, textOrEmpty } from '../../platform/proc.ts';
import { readRegularSync } from '../../platform/regular-file.ts';
import { createExempt } from '../bans/exempt.ts';
import { gatewaysAndResolvers } from '../kernel-bans/exempt.ts';
import { hostSockets, type SocketRow } from './sockets.ts';

const defaultPort = 22;
/** Bytes of one configuration file of sshd. */
const mostBytes = 1024 * 1024;

/** The ports in a configuration of sshd: sshd_config(5). */
export const portsOf = (text: string): number[] =>
  [...text.matchAll(/^[ \t]*(?:Port[ \t=]+|ListenAddress[ \t=]+(?:\[[0-9a-f:]+\]|[^\s:]+):)(\d{1,5})\s*$/gim)].map(
    ([, port]) => Number(port),
  );

function configuredPorts(): number[] {
  try {
    const files = ['/etc/ssh/sshd_config', ...globSync('/etc/ssh/sshd_config.d/*.conf')];
    return files.flatMap((file) => portsOf(readRegularSync(file, mostBytes).toString('latin1')));
  } catch {
    return []; // without a server, or when this user may not read its files
  }
}

/** The inodes of the sockets of sshd, also where systemd listens for it. Only root sees them. */
const sshInodes = (): Set<string> =>
  new Set(
    processes().flatMap((pid) => (textOrEmpty(`/proc/${pid}/comm`).startsWith('sshd') ? socketInodesOf(pid) : [])),
  );

/** @param inodes sockets of sshd on further ports */
export function clientsOf(
  sockets: readonly SocketRow[],
  ports: readonly number[],
  inodes: ReadonlySet<string>,
): string[] {
  const listening = new Set(sockets.filter(({ isListening }) => isListening).map(({ localPort }) => localPort));
  const isSsh = ({ localPort, inode }: SocketRow): boolean =>
    inodes.has(inode) || (ports.includes(localPort) && listening.has(localPort));
  return [...new Set(sockets.filter((row) => row.isEstablished && isSsh(row)).map(({ remote }) => remote))];
}

/**
 * The clients of the SSH server whose ban would close every port of this host to them. Empty when bans hold only at the
 * listeners of the daemon.
 */
export function bannableSshClients({ bans, global }: Daemon): string[] {
  if (bans.scope !== 'host') return [];
  const exempt = createExempt([...global.never_ban, ...gatewaysAndResolvers()]);
  const clients = clientsOf(hostSockets(), [defaultPort, ...configuredPorts()], sshInodes());
  return clients.filter((ip) => !exempt.has(ip));
}

/** Addresses in a message: attackers can hold many connections open. */
export const mostNamed = 5;

/** A warning about the clients that logs can ban. Undefined when there are none. */
export function sshWarning(config: Daemon): string | undefined {
  const clients = bannableSshClients(config).filter((ip) => config.bans.ban_private || !isPrivate(ip));
  if (clients.length === 0) return undefined;
  const more = clients.length > mostNamed ? ` and ${clients.length - mostNamed} more` : '';
  return `connected to the SSH server of this host, and not exempt from bans: ${clients.slice(0, mostNamed).join(', ')}${more}. Add your own address to global.never_ban`;
}
