/**
 * Settings of a stack, from its `.env`. A stack is one compose project with Grafana, Loki and the OpenTelemetry
 * Collector. As in compose tools, environment variables take precedence.
 */
import { createHash, randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, isAbsolute, join, parse, resolve } from 'node:path';
import { UsageError } from '../../platform/errors.ts';
import { readReason, readRegularSync } from '../../platform/regular-file.ts';
import { type BaseName, baseImage, type publicImage } from '../../sandbox-images/bases.ts';
import { portOf } from '../input/port.ts';
import type { Context } from '../program/context.ts';
import { parseDotenv, singleQuoted } from './dotenv.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export const loopback = '127.0.0.1';

/** Variable and default of each port. */
const portDefaults = {
  grafana: ['GUARD_GRAFANA_PORT', 3000],
  loki: ['GUARD_LOKI_PORT', 3100],
  otlpGrpc: ['GUARD_OTLP_GRPC_PORT', 4317],
  otlpHttp: ['GUARD_OTLP_HTTP_PORT', 4318],
  collectorHealth: ['GUARD_COLLECTOR_HEALTH_PORT', 13_133],
} as const satisfies Record<string, readonly [variable: string, usual: number]>;

export type PortName = keyof typeof portDefaults;
export const portNames = Object.keys(portDefaults) as PortName[];
export const portVariable = (name: PortName): string => portDefaults[name][0];

/** Variables of compose.yaml that name images. */
const imageVariables = {
  GUARD_GRAFANA_IMAGE: 'grafana',
  GUARD_LOKI_IMAGE: 'loki',
  GUARD_COLLECTOR_IMAGE: 'collector',
} as const satisfies Record<string, BaseName>;

const logsVariable = 'GUARD_LOGS';
const prefixVariable = 'GUARD_BASE_PREFIX';

export const secretVariable = 'GUARD_SECRET';

export interface Settings {
  readonly dir: string;
  /** Name of the compose project, different for each folder. */
  readonly project: string;
  readonly ports: Readonly<Record<PortName, number>>;
  /** Folder with the event files, absolute or relative to `dir`. */
  readonly logs: string;
  /** Registry that mirrors the images, or empty. */
  readonly prefix: string;
  /** First segment of every path of Loki, and bearer token of OTLP. Empty while the stack has none. */
  readonly secret: string;
  /** Lines of `.env` that set variables of the user. */
  readonly others: readonly string[];
}

/** Ports from the command line. */
export interface RequestedPorts {
  readonly grafana?: number;
  readonly loki?: number;
}

export const envFile = (dir: string): string => join(dir, '.env');

/** Absolute path of `~/.guard/observability`. */
export function defaultDir({ HOME = '' }: Environment): string {
  return join(isAbsolute(HOME) ? HOME : userInfo().homedir, '.guard', 'observability');
}

/** Characters that compose tools or container runtimes refuse in paths. */
const refusedCharacters = /[:%\0-\x1f\x7f]/;

const isUsable = (path: string): boolean => !refusedCharacters.test(path.slice(parse(path).root.length));

/** Returns the folder of the stack. @throws UsageError for a path that compose tools refuse */
export function folderOf(dir: string | undefined, { env, cwd }: Pick<Context, 'env' | 'cwd'>): string {
  const folder = dir === undefined ? defaultDir(env) : resolve(cwd, dir);
  if (dir !== '' && isUsable(folder)) return folder;
  throw new UsageError(`the folder of the stack cannot be ${JSON.stringify(dir === '' ? dir : folder)}`, {
    code: 'bad_folder',
    hint: dir === '' ? 'name a folder' : 'choose a path without colons, percent signs and control characters: --dir',
  });
}

/** Resolves symbolic links, also when the last folders of the path do not exist. */
function realFolder(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    const parent = dirname(dir);
    return parent === dir ? dir : join(realFolder(parent), basename(dir));
  }
}

/**
 * Names the compose project. Several users of a container runtime can each have a stack: a hash of the folder
 * distinguishes them.
 */
const projectOf = (dir: string): string =>
  `request-guard-dashboard-${createHash('sha256').update(realFolder(dir)).digest('hex').slice(0, 8)}`;

function invalidError(file: string, variable: string, text: string, expected: string): UsageError {
  return new UsageError(`${variable} is ${JSON.stringify(text)} in ${file} or in the environment`, {
    code: 'bad_setting',
    hint: `give ${expected}`,
  });
}

/** Bytes of the file of variables, which has a line for each of a dozen. */
const mostFileBytes = 64 * 1024;

function readText(file: string): string {
  try {
    return readRegularSync(file, mostFileBytes).toString();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return '';
    const hint = 'give yourself the permission to read it, or choose another --dir';
    throw new UsageError(`cannot read ${file}: ${readReason(cause)}`, { code: 'file_unreadable', hint, cause });
  }
}

/** @throws UsageError when two services have the same port, which cannot be published twice */
function refuseSharedPorts(chosen: Readonly<Record<PortName, number>>, file: string): void {
  const owners = new Map<number, PortName>();
  for (const name of portNames) {
    const other = owners.get(chosen[name]);
    if (other !== undefined)
      throw new UsageError(`${portVariable(other)} and ${portVariable(name)} are both ${chosen[name]}`, {
        code: 'conflict',
        hint: `choose another --port or --loki-port, or change ${file}`,
      });
    owners.set(chosen[name], name);
  }
}

const ourVariables = new Set<string>([
  ...Object.values(portDefaults).map(([variable]) => variable),
  ...Object.keys(imageVariables),
  ...['COMPOSE_PROJECT_NAME', 'GUARD_USER', 'GUARD_FILES', logsVariable, prefixVariable, secretVariable],
]);

/** Reads the settings of a stack. Order of precedence: command line, environment, file, defaults. @throws UsageError */
export function readSettings(folder: string, env: Environment, requestedPorts: RequestedPorts = {}): Settings {
  const dir = resolve(folder);
  const file = envFile(dir);
  const { values, others } = parseDotenv(readText(file), ourVariables);
  const text = (variable: string): string => env[variable] || values.get(variable) || '';
  const chosen = Object.fromEntries(
    portNames.map((name) => {
      const [variable, usual] = portDefaults[name];
      const requestedPort = (requestedPorts as Partial<Record<PortName, number>>)[name];
      const port = requestedPort ?? (text(variable) === '' ? usual : portOf(text(variable)));
      if (port === undefined) throw invalidError(file, variable, text(variable), 'a port from 1 to 65535');
      return [name, port];
    }),
  ) as Record<PortName, number>;
  refuseSharedPorts(chosen, file);
  const logs = text(logsVariable) || './logs';
  // Compose tools expand `~`, and a quote would end the value in the file.
  if (!isUsable(logs) || /^~|'/.test(logs))
    throw invalidError(file, logsVariable, logs, 'a folder without quotes, colons and ~, such as /var/log/guard');
  const prefix = text(prefixVariable);
  if (!/^[\w./:[\]-]*$/.test(prefix))
    throw invalidError(file, prefixVariable, prefix, 'a registry, such as mirror.example/all');
  const secret = text(secretVariable);
  if (!/^(?:[0-9a-f]{32})?$/.test(secret))
    throw new UsageError(`${secretVariable} in ${file} or in the environment is not 32 hexadecimal digits`, {
      code: 'bad_setting',
      hint: 'remove it: `guardcli dashboard up` writes a new one',
    });
  return { dir, project: projectOf(dir), ports: chosen, logs, prefix, secret, others };
}

/** Creates a secret when the stack has none. */
export const withSecret = (settings: Settings): Settings => ({
  ...settings,
  secret: settings.secret || randomBytes(16).toString('hex'),
});

/**
 * Returns the variables of compose.yaml.
 * @param imageOf names each image. The default prefers those of `scripts/bootstrap` when no registry responds
 */
export function variablesOf(
  { project, ports: chosen, logs, prefix, secret }: Settings,
  circumstances: { readonly user: string; readonly files: string },
  env: Environment,
  imageOf: typeof publicImage = baseImage,
): Record<string, string> {
  const names = { ...env, [prefixVariable]: prefix };
  return {
    COMPOSE_PROJECT_NAME: project,
    ...Object.fromEntries(portNames.map((name) => [portVariable(name), String(chosen[name])])),
    [logsVariable]: logs,
    [prefixVariable]: prefix,
    [secretVariable]: secret,
    ...Object.fromEntries(Object.entries(imageVariables).map(([variable, base]) => [variable, imageOf(base, names)])),
    GUARD_USER: circumstances.user,
    GUARD_FILES: circumstances.files,
  };
}

const headerLines = [
  '# Written by guardcli dashboard. Ports, GUARD_LOGS (the folder with event files) and GUARD_BASE_PREFIX (a mirror of',
  '# the images) may be changed; the next `guardcli dashboard up` keeps them, and sets everything else.',
  '# GUARD_SECRET is a secret. Without its line, the next `up` writes a new one.',
];

export function envText({ others }: Settings, variables: Readonly<Record<string, string>>): string {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${singleQuoted(value)}`);
  return `${[...headerLines, ...lines, ...others].join('\n')}\n`;
}

export const logsFolder = ({ dir, logs }: Settings): string => resolve(dir, logs);

/** Returns the URL of a service without the secret, so that it may be printed. */
export const urlOf = ({ ports: chosen }: Settings, name: PortName): string => `http://${loopback}:${chosen[name]}`;

/** Returns the URL of Loki without a final slash. Its path is the secret, if the stack has one. */
export function lokiUrlOf(settings: Settings): string {
  const url = urlOf(settings, 'loki');
  return settings.secret === '' ? url : `${url}/${settings.secret}`;
}
