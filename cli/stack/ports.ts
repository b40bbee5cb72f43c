/**
 * Checks the ports of a stack before its start. Container runtimes report a used port late, and without its process.
 */
import { ExternalError } from '../../platform/errors.ts';
import { listenError } from '../../platform/free-ports.ts';
import { portInUse } from '../../platform/port-owner.ts';
import { envFile, loopback, type PortName, portVariable, type Settings } from './settings.ts';

const portOptions: Partial<Record<PortName, string>> = { grafana: '--port', loki: '--loki-port' };

/** Number of ports to try for the hint. */
const triedPorts = 100;

async function freePort(port: number, used: readonly number[]): Promise<number | undefined> {
  const step = port + triedPorts > 65_535 ? -1 : 1;
  for (let another = port + step; Math.abs(another - port) <= triedPorts; another += step)
    if (!used.includes(another) && (await listenError(another, loopback)) === undefined) return another;
  return undefined;
}

async function inUseError(name: PortName, { dir, ports }: Settings): Promise<ExternalError> {
  const port = ports[name];
  const another = (await freePort(port, Object.values(ports))) ?? '<number>';
  const choice = portOptions[name]
    ? `${portOptions[name]} ${another}`
    : `${portVariable(name)}=${another} in ${envFile(dir)}`;
  return new ExternalError(portInUse(port, `${loopback}:${port}`), {
    code: 'port_in_use',
    hint: `stop it, or choose another port: ${choice}`,
    failed: { tool: 'port' },
  });
}

/**
 * Checks that the ports are free.
 * @param own ports of the running stack
 * @throws ExternalError that names the port, and its process if it is known
 */
export async function checkPorts(
  names: readonly PortName[],
  settings: Settings,
  own: readonly number[],
): Promise<void> {
  for (const name of names) {
    const port = settings.ports[name];
    // Ignores other errors: this user can lack the permission for a low port that the container runtime has.
    if (!own.includes(port) && (await listenError(port, loopback)) === 'EADDRINUSE')
      throw await inUseError(name, settings);
  }
}
