/** The checks of `guardcli doctor`. A new check is a new row. */
import { accessSync, constants } from 'node:fs';
import { findTool } from '../../compose/find.ts';
import { connect, diskFiles } from '../../containers/connect.ts';
import type { Containers } from '../../containers/containers.ts';
import { open } from '../../containers/docker.ts';
import { addressText } from '../../containers/endpoint.ts';
import { checkPorts, defaultPort } from '../../containers/ports.ts';
import { compileRegex } from '../../contract/regex/compile.ts';
import { packageVersion } from '../../platform/assets.ts';
import { cacheFolder } from '../../platform/cache.ts';
import { type CommandOptions, command } from '../../platform/command.ts';
import { ExternalError, GuardError } from '../../platform/errors.ts';
import { makeFolder } from '../../platform/folder.ts';
import { type BaseName, baseImage, didRegistryRespond } from '../../sandbox-images/bases.ts';
import type { Context } from '../program/context.ts';
import { explainedError } from '../program/report.ts';
import { checkPorts as checkStackPorts } from '../stack/ports.ts';
import { defaultDir, portNames, readSettings } from '../stack/settings.ts';
import { checkClients } from './clients.ts';
import { problemError } from './problem.ts';

export interface Machine {
  readonly context: Context;
  /** Rejects when no container runtime responds. */
  readonly containers: Promise<Containers>;
}

export interface Check {
  readonly name: string;
  /** Commands that need the checked program or service. */
  readonly for: string;
  /** False when the commands are only slower or different. */
  readonly isNeeded: boolean;
  /** Returns what the check found. @throws GuardError whose hint is the line that fixes the problem */
  readonly find: (machine: Machine) => Promise<string>;
}

async function checkPatterns(): Promise<string> {
  try {
    compileRegex('a');
    return 'the native module loads';
  } catch (error) {
    throw explainedError(error);
  }
}

async function checkRuntime({ containers }: Machine): Promise<string> {
  const { address, version, architecture } = (await containers).runtime;
  return `${addressText(address)}, version ${version}, ${architecture}`;
}

async function checkComposeTool({ context: { env, signal } }: Machine): Promise<string> {
  const { tool, version } = await findTool({ env: env as NodeJS.ProcessEnv, signal });
  return `${tool.name} ${version}`;
}

async function checkSandboxPort(): Promise<string> {
  await checkPorts([defaultPort]);
  return `${defaultPort} is free`;
}

const projectLabel = 'com.docker.compose.project';

async function checkDashboardPorts({ context: { env, signal }, containers }: Machine): Promise<string> {
  const settings = readSettings(defaultDir(env), env);
  const list = portNames.map((name) => settings.ports[name]).join(', ');
  const own = await containers
    .then((one) => one.list('container', projectLabel, { value: settings.project, signal }))
    .catch(() => []);
  if (own.length > 0) return `${list}: the dashboard runs`;
  await checkStackPorts(portNames, settings, []);
  return `${list} are free`;
}

/** Traefik is not in the list: it is compiled when its image cannot be pulled. */
const checkedImages = ['debian', 'grafana', 'loki', 'collector'] as const satisfies readonly BaseName[];

async function checkBaseImages({ context: { env, signal }, containers }: Machine): Promise<string> {
  const runtime = await containers.catch(() => undefined);
  if (!runtime)
    throw problemError(
      'unknown without a container runtime',
      'fix the container runtime, then run guardcli doctor again',
    );
  const references = checkedImages.map((name) => baseImage(name, env));
  const present = await Promise.all(references.map((name) => runtime.hasImage(name, signal)));
  const absent = references.filter((_, index) => !present[index]);
  if (absent.length === 0) return 'all are there';
  if (didRegistryRespond(env) !== false || env.GUARD_BASE_PREFIX)
    return `${absent.length} are pulled at their first use`;
  throw problemError(
    `no image registry responds, and there is no ${absent.join(', ')}`,
    'export GUARD_BASE_PREFIX=<a mirror that has them>',
  );
}

async function checkCache({ context: { env } }: Machine): Promise<string> {
  const folder = cacheFolder(env);
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
    return folder;
  } catch (error) {
    throw problemError(
      `${folder} cannot be written: ${(error as Error).message}`,
      'export XDG_CACHE_HOME=<a folder that you can write to>',
    );
  }
}

/** Finds Traefik. `guardcli build` writes the version of the guard into its codename. */
async function checkTraefik({ context: { env, signal } }: Machine): Promise<string> {
  const printed = await command('traefik', ['version'], { env: { PATH: env.PATH }, signal }).catch(() => undefined);
  if (printed === undefined) return 'not on the PATH; guardcli build traefik makes one with the guard in it';
  const version = /^Version:\s+(\S+)/m.exec(printed)?.[1] ?? 'of an unknown version';
  const guard = /^Codename:\s+request-guard-(\S+)/m.exec(printed)?.[1];
  if (guard === undefined) return `${version}, which needs the sources of the plugin`;
  const own = packageVersion();
  if (guard === own) return `${version} with the guard ${guard} compiled in`;
  throw problemError(
    `${version} with the guard ${guard} compiled in, and guardcli is ${own}`,
    'guardcli build traefik',
  );
}

/** Returns true when an upgrade of a Debian package replaces the file. Ignores dpkg's lines about diversions. */
async function isPackaged(file: string, options: CommandOptions): Promise<boolean> {
  const owner = await command('dpkg', ['-S', file], options).catch(() => '');
  return owner.split('\n').some((line) => line.endsWith(`: ${file}`) && !line.startsWith('diversion '));
}

/** Finds Caddy. @throws ExternalError when an upgrade of a Debian package would remove the guard */
async function checkCaddy({ context: { env, signal } }: Machine): Promise<string> {
  const options = { env: { PATH: env.PATH }, signal };
  const printed = await command('caddy', ['version'], options).catch(() => undefined);
  if (printed === undefined) return 'not on the PATH; guardcli build caddy makes one with the guard in it';
  const version = printed.trim().split(' ')[0] ?? '';
  const modules = await command('caddy', ['list-modules'], options).catch(() => '');
  if (!/^http\.handlers\.guard\b/m.test(modules))
    return `${version} without the guard: it refuses a Caddyfile that has one`;
  const file = (await command('sh', ['-c', 'realpath "$(command -v caddy)"'], options).catch(() => '')).trim();
  if (!(await isPackaged(file, options))) return `${version} with the guard in it`;
  throw problemError(
    `${version} with the guard in it, in the place of a Debian package: apt upgrade replaces ${file} by a Caddy without the guard`,
    `dpkg-divert --divert ${file}.default --rename ${file}, and the other lines of docs/caddy.md`,
  );
}

export const checks: readonly Check[] = [
  { name: 'guardcli', for: 'every command', isNeeded: true, find: async () => packageVersion() },
  { name: 'Node', for: 'every command', isNeeded: true, find: async () => process.versions.node },
  { name: 'pattern engine', for: 'every command', isNeeded: true, find: checkPatterns },
  { name: 'cache folder', for: 'sandbox, dashboard, faster starts', isNeeded: true, find: checkCache },
  { name: 'container runtime', for: 'sandbox, dashboard', isNeeded: true, find: checkRuntime },
  { name: 'compose tool', for: 'dashboard', isNeeded: true, find: checkComposeTool },
  { name: 'base images', for: 'sandbox, dashboard', isNeeded: false, find: checkBaseImages },
  { name: 'Traefik', for: 'the guard in Traefik', isNeeded: false, find: checkTraefik },
  { name: 'Caddy', for: 'the guard in Caddy', isNeeded: false, find: checkCaddy },
  { name: 'clients', for: 'bans and lists', isNeeded: false, find: ({ context }) => checkClients(context) },
  { name: 'sandbox port', for: 'sandbox', isNeeded: false, find: checkSandboxPort },
  { name: 'dashboard ports', for: 'dashboard', isNeeded: false, find: checkDashboardPorts },
];

export const machineOf = (context: Context): Machine => {
  const containers = connect(context.env, diskFiles, open, context.signal);
  containers.catch(() => {}); // each check that needs the container runtime reports the error
  return { context, containers };
};

export function reasonOf(error: unknown): { readonly detail: string; readonly fix?: string } {
  if (!(error instanceof GuardError)) throw error;
  const output = error instanceof ExternalError ? error.failed.output : undefined;
  const detail = output === undefined ? error.message : `${error.message}: ${output.split('\n').join('; ')}`;
  return { detail, ...(error.hint !== undefined && { fix: error.hint }) };
}
