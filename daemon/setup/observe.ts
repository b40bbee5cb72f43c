/** What runs on this host: units, files of logs, containers and listening ports. */
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { promisify } from 'node:util';
import { logPlaces } from '../../contract/logs/places.ts';
import { isLoopback } from '../../contract/values/endpoint.ts';
import { hostSockets } from '../host/sockets.ts';
import { type ConfiguredLog, configuredLogs } from './configured.ts';
import { type ContainerLog, containerLogs } from './container-logs.ts';

export interface Observed {
  /** Names of running services, and of those that a listening socket of systemd starts. */
  readonly units: readonly string[];
  /** Paths that match a glob of `logPlaces`. */
  readonly files: readonly string[];
  /** Logs that the configuration of a server names. */
  readonly configured: readonly ConfiguredLog[];
  /** Names of containers with messages in the journal. */
  readonly containers: readonly string[];
  /** Those whose log Docker keeps in a file. */
  readonly containerLogs: readonly ContainerLog[];
  /** TCP ports that other hosts can reach. */
  readonly ports: readonly number[];
}

/** Whether a name is safe in the configuration. Users of the host choose names of files and of containers. */
export const isPlainPath = (path: string): boolean => /^[^\p{C}\p{Z}$]+$/u.test(path.replaceAll(' ', ''));
export const isContainerName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/.test(name);

/** Caddy names the logs that it has rotated after the time. */
const isRotated = (path: string): boolean => /-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}\.log$/.test(path);

const mostContainers = 32;
const runMs = 60_000; // a journal of gigabytes is read for the names of containers

/** Returns what a program prints, or an empty text when it fails. */
async function outputOf(program: string, ...args: readonly string[]): Promise<string> {
  const options = { timeout: runMs, maxBuffer: 16 * 1024 * 1024, env: { ...process.env, LC_ALL: 'C' } };
  return (await promisify(execFile)(program, [...args], options).catch(() => ({ stdout: '' }))).stdout;
}

/** @param list output of `systemctl list-units --plain --no-legend`: unit, load, active, sub, description */
export const unitsIn = (list: string, states: readonly string[]): string[] =>
  list.split('\n').flatMap((line) => {
    const [unit, , , sub] = line.trim().split(/\s+/);
    return unit !== undefined && sub !== undefined && states.includes(sub) ? [unit] : [];
  });

/** The service of a socket: one for all connections, or a template with an instance for each. */
export const serviceOf = (socket: string, accepts: boolean): string =>
  socket.replace(/\.socket$/, accepts ? '@.service' : '.service');

async function runningUnits(): Promise<string[]> {
  const list = (type: string) =>
    outputOf('systemctl', 'list-units', `--type=${type}`, '--plain', '--no-legend', '--no-pager');
  const services = unitsIn(await list('service'), ['running']);
  const started: string[] = [];
  for (const socket of unitsIn(await list('socket'), ['listening', 'running'])) {
    const accept = await outputOf('systemctl', 'show', '--property=Accept', '--value', '--', socket);
    started.push(serviceOf(socket, accept.trim() === 'yes'));
  }
  return [...new Set([...services, ...started])].sort();
}

export async function observe(): Promise<Observed> {
  const names = await outputOf('journalctl', '--field=CONTAINER_NAME', '--no-pager', '--quiet');
  const reachable = hostSockets().filter(({ isListening, local }) => isListening && !isLoopback(local));
  return {
    units: await runningUnits(),
    files: [...new Set(logPlaces.flatMap(({ files = [] }) => globSync([...files])))]
      .filter((path) => isPlainPath(path) && !isRotated(path))
      .sort(),
    configured: configuredLogs().filter(({ file }) => isPlainPath(file) && !isRotated(file)),
    containers: names.split('\n').filter(isContainerName).sort().slice(0, mostContainers),
    containerLogs: (await containerLogs()).filter(({ name }) => isContainerName(name)).slice(0, mostContainers),
    ports: [...new Set(reachable.map(({ localPort }) => localPort))].sort((a, b) => a - b),
  };
}
