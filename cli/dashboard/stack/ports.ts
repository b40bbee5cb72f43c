/** Checks the ports of the stack before the start: errors of container runtimes come late and do not name the owner. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { ExternalError } from '../../../platform/errors.ts';
import { listenError } from '../../../platform/free-ports.ts';
import { envFile, loopback, type PortName, portVariable, type Settings } from './settings.ts';

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

const listening = '0A';

/** Inodes of the sockets that listen on this port, from /proc/net/tcp. */
export function listeningInodes(table: string, port: number): string[] {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table.split('\n').flatMap((line) => {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
    return local?.endsWith(ending) && state === listening && inode ? [inode] : [];
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

/** `nginx (pid 4121)`. Undefined: unknown, as for a process of another user. */
export function ownerOf(port: number): string | undefined {
  const inodes = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => listeningInodes(textOf(file), port));
  if (inodes.length === 0) return undefined;
  const wanted = new Set(inodes.map((inode) => `socket:[${inode}]`));
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && hasSocket(name, wanted));
  return pid && `${textOf(`/proc/${pid}/comm`).trim()} (pid ${pid})`;
}

const option: Partial<Record<PortName, string>> = { grafana: '--port', loki: '--loki-port' };

function inUse(name: PortName, { dir, ports }: Settings): ExternalError {
  const port = ports[name];
  const owner = ownerOf(port);
  const another = port < 65_535 ? port + 1 : port - 1;
  const choice = option[name] ? `${option[name]} ${another}` : `${portVariable(name)}=${another} in ${envFile(dir)}`;
  return new ExternalError(`port ${port} is in use: ${owner ?? 'another process'} listens on ${loopback}:${port}`, {
    code: 'port_in_use',
    hint: `stop it, or choose another port: ${choice}`,
    failed: { tool: 'port' },
  });
}

/** @throws ExternalError that names the first port in use, and by which process where that can be known */
export async function checkPorts(
  names: readonly PortName[],
  settings: Settings,
  own: readonly number[],
): Promise<void> {
  for (const name of names) {
    const port = settings.ports[name];
    // A port that only the container runtime may open counts as free.
    if (!own.includes(port) && (await listenError(port, loopback)) === 'EADDRINUSE') throw inUse(name, settings);
  }
}
