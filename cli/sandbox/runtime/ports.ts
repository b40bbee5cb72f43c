/** Checks ports of this machine before the start, because errors of container runtimes come late and differ. */
import { ExternalError } from '../../../platform/errors.ts';
import { listenError } from '../../../platform/free-ports.ts';
import { portInUse } from '../../../platform/port-owner.ts';

/** The port of a sandbox when the user chooses none. */
export const defaultPort = 8080;

/** Loopback addresses on which a sandbox is published. */
const loopbacks = ['127.0.0.1', '::1'] as const;

function inUse(host: string, port: number): ExternalError {
  const address = host.includes(':') ? `[${host}]` : host;
  const another = port < 65_535 ? port + 1 : port - 1;
  return new ExternalError(portInUse(port, `${address}:${port}`), {
    code: 'port_in_use',
    hint: `stop it (guardcli cleanup ${port}, if it is a sandbox), or choose another port: --port ${another}`,
    failed: { tool: 'port' },
  });
}

/**
 * Checks that all ports are free on both loopbacks and returns whether this machine has an IPv6 loopback. A port that
 * only the container runtime may open counts as free.
 * @throws ExternalError that names the first port in use
 */
export async function checkPorts(ports: readonly number[]): Promise<{ readonly ipv6: boolean }> {
  let ipv6 = true;
  for (const port of ports) {
    for (const host of loopbacks) {
      const code = await listenError(port, host);
      if (code === 'EADDRINUSE') throw inUse(host, port);
      if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') ipv6 = false;
    }
  }
  return { ipv6 };
}
