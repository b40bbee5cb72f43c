/** For tests: the state of a connection, as Linux shows it. */
import { existsSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

/** FIN_WAIT2: the other end has acknowledged the FIN (proc_net_tcp in the documentation of Linux). */
const acknowledgedState = '05';

const portEnd = (port = 0): string => `:${port.toString(16).toUpperCase().padStart(4, '0')}`;

/** Whether the FIN of an IPv4 socket of this host was acknowledged. False where the system does not show it. */
export function isEndAcknowledged({ localPort, remotePort }: Socket): boolean {
  if (!existsSync('/proc/net/tcp')) return false;
  const [here, there] = [portEnd(localPort), portEnd(remotePort)];
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  // Another connection may have the same local port, and may be closed already.
  return rows.find(([, local, remote]) => local?.endsWith(here) && remote?.endsWith(there))?.[3] === acknowledgedState;
}
