/** `tcp-guard init host`: guards what runs on this host, in mode detect. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { mostSources } from '../../contract/daemon/intake.ts';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { loadDaemon } from '../../contract/load/index.ts';
import { limits } from '../../contract/policy/limits.ts';
import { readable } from '../../platform/escape.ts';
import { readReason, readRegularSync } from '../../platform/regular-file.ts';
import { bannableSshClients, mostNamed, sshWarning } from '../host/ssh-clients.ts';
import {
  configurationText,
  hostConfiguration,
  hostPolicy,
  packagedConfiguration,
  policyText,
  writeLike,
} from './configuration.ts';
import { observe } from './observe.ts';
import { unreadableSources } from './readable.ts';
import { dockerDropIn, dropInFile, restartService, writeDropIns } from './service.ts';
import { type FoundSource, logHints, sourcesFor, uncoveredPorts } from './sources.ts';

/** Why the command cannot run. Its message says what to do. */
export class SetupError extends Error {}

interface InitOptions {
  readonly force: boolean;
  readonly print: (line: string) => void;
}

export function requireHost(): void {
  if (process.getuid?.() !== 0) throw new SetupError('it changes the host, so it needs root: run it with sudo');
  if (!existsSync('/run/systemd/system'))
    throw new SetupError('systemd does not run here. Write the configuration by hand: docs/host.md of the project');
  if (![dirname(hostConfiguration), packagedConfiguration].every(existsSync))
    throw new SetupError('install the package request-guard first');
}

const mostReplayBytes = 1024 * 1024;

/** @throws SetupError when a file is there that cannot be read */
function textOf(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return readRegularSync(path, limits.daemonFileBytes).toString();
  } catch (error) {
    throw new SetupError(`cannot read ${path}: ${readReason(error)}`);
  }
}

/** @throws SetupError when the administrator wrote the file */
function refuseChanged(force: boolean): void {
  const existing = textOf(hostConfiguration);
  if (existing === undefined || force || existing === textOf(packagedConfiguration)) return;
  throw new SetupError(
    `${hostConfiguration} was changed. --force replaces it, and keeps it as ${hostConfiguration}.old`,
  );
}

/** The configuration that the daemon will load from a text. */
function configurationOf(text: string): Daemon {
  const loaded = loadDaemon(Buffer.from(text), hostConfiguration, {});
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('; '));
  return loaded.value;
}

/** Writes the configuration, and the policy when a source needs one and there is none. Returns the configuration. */
function writeFiles(sources: readonly FoundSource[], print: InitOptions['print']): Daemon {
  const owner = { uid: 0, gid: statSync(dirname(hostConfiguration)).gid, mode: 0o640 };
  const draft = configurationOf(configurationText({ sources, sshClients: [] }));
  const text = configurationText({ sources, sshClients: bannableSshClients(draft).slice(0, mostNamed) });
  if (sources.some(({ format }) => format === 'access') && !existsSync(hostPolicy)) {
    writeLike(hostPolicy, policyText, owner);
    print(`wrote ${hostPolicy}: the built-in rules, queries and known exploits`);
  }
  if (textOf(hostConfiguration) !== undefined && textOf(hostConfiguration) !== textOf(packagedConfiguration)) {
    copyFileSync(hostConfiguration, `${hostConfiguration}.old`);
    print(`kept the previous file as ${hostConfiguration}.old`);
  }
  writeLike(hostConfiguration, text, owner);
  print(`wrote ${hostConfiguration}, in mode detect, with`);
  for (const { title, unit, file, container, format, unless } of sources)
    print(
      `  ${format}: ${readable(unit ?? file ?? container ?? '')} (${title}${unless === undefined ? '' : ', as a comment'})`,
    );
  if (sources.length === 0) print('  no source: no server with a known log runs here');
  return configurationOf(text);
}

const replay = ['guardcli', 'replay', '--bans', '--journal', '-c', hostConfiguration];

/** Prints what the logs of yesterday would have banned. Without guardcli, the operator has the command. */
function printReplay(print: InitOptions['print']): void {
  const [program = '', ...args] = replay;
  const { stdout, stderr, status } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: mostReplayBytes });
  if (status !== null) print(`${status === 0 ? stdout : ''}${stderr}`.trimEnd());
}

/** @throws SetupError when the host or its files do not allow it */
export async function initHost({ force, print }: InitOptions): Promise<void> {
  requireHost();
  refuseChanged(force);
  const observed = await observe();
  const found = sourcesFor(observed);
  const sources = found.slice(0, mostSources);
  if (found.length > sources.length) print(`${found.length} logs were found, and the first ${mostSources} are read`);
  const config = writeFiles(sources, print);
  const readsDocker = sources.some(({ isDockerFile }) => isDockerFile);
  writeDropIns(readsDocker);
  print(`wrote ${dropInFile}: the daemon may read logs and change the firewall`);
  if (readsDocker) print(`wrote ${dockerDropIn}: the daemon may read the logs of Docker, and every other file`);
  await restartService().catch(({ message }: Error) => {
    throw new SetupError(`tcp-guard did not start (journalctl -u tcp-guard): ${message.trim()}`);
  });
  print('started tcp-guard');
  const missingNft = ['/usr/sbin/nft', '/sbin/nft', '/usr/bin/nft'].some(existsSync)
    ? []
    : ['nft is missing, so bans would hold only at the listeners of tcp-guard: apt install nftables'];
  const warnings = [...missingNft, ...(await unreadableSources(sources)), sshWarning(config)];
  for (const warning of warnings) if (warning !== undefined) print(`warning: ${warning}`);
  const ports = uncoveredPorts(observed, sources);
  if (ports.length > 0) print(`no source reads a log of these reachable ports: ${ports.join(', ')}`);
  for (const hint of logHints(observed, sources)) print(hint);
  print(`which clients the logs of yesterday would have banned: ${replay.join(' ')}`);
  printReplay(print);
  print('which ones are detected from now on: guardcli bans list');
  print('enforce it: tcp-guard enforce');
}
