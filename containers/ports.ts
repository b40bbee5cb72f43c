/** Checks ports before the start, because errors of container runtimes come late and differ. */
import { ExternalError } from '../platform/errors.ts';
import { listenError } from '../platform/free-ports.ts';
import { portInUse } from '../platform/port-owner.ts';
import type { PublishedPort } from './containers.ts';

/** Port of a sandbox when the user chooses none. */
export const defaultPort = 8080;

/** Addresses on which a sandbox is published. */
const loopbacks = ['127.0.0.1', '::1'] as const;

const otherPortHint = (port: number): string => `choose another port: --port ${port < 65_535 ? port + 1 : port - 1}`;

function inUse(host: string, port: number): ExternalError {
  const address = host.includes(':') ? `[${host}]` : host;
  return new ExternalError(portInUse(port, `${address}:${port}`), {
    code: 'port_in_use',
    hint: `stop it (guardcli cleanup ${port}, if it is a sandbox), or ${otherPortHint(port)}`,
    failed: { tool: 'port' },
  });
}

/** Matches errors with which Docker, Docker Desktop and Podman refuse to publish a port. */
const publishRefusal = /already allocated|address already in use|ports are not available|privileged port|bind: /i;

/** Names the port in the error of a start. Other errors stay. */
export function explainedStart(error: unknown, ports: readonly PublishedPort[]): unknown {
  if (!(error instanceof ExternalError)) return error;
  const { output = '' } = error.failed;
  const port = ports.find(({ hostPort }) => new RegExp(`:${hostPort}\\b|port ${hostPort}\\b`).test(output))?.hostPort;
  if (port === undefined || !publishRefusal.test(output)) return error;
  return new ExternalError(`the container runtime cannot publish port ${port}`, {
    code: 'port_refused',
    cause: error,
    hint: `stop what listens on it, or ${otherPortHint(port)}`,
    failed: error.failed,
  });
}

/**
 * Checks that the ports are free. A port that only the container runtime may open counts as free. Returns whether this
 * machine has an IPv6 loopback.
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
