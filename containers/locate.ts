/**
 * Finds the endpoints of container runtimes. When the user selected one, it is the only one: a fallback would start
 * containers in an unexpected place.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type Address, parseHost, type Tls } from './endpoint.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Files {
  readonly exists: (path: string) => boolean;
  readonly read: (path: string) => string | undefined;
}

export interface Endpoint {
  readonly address: Address;
  readonly tls?: Tls;
  /** Source of the endpoint, such as `DOCKER_HOST` or `context desktop-linux`. */
  readonly origin: string;
}

export type Located =
  | { readonly ok: true; readonly endpoints: readonly Endpoint[] }
  | { readonly ok: false; readonly message: string };

type Strategy = (env: Environment, files: Files) => Located | undefined;

const locatedEndpoint = (endpoint: Endpoint): Located => ({ ok: true, endpoints: [endpoint] });
const homeFolder = (env: Environment): string => env.HOME ?? '/';

function locatedHost(origin: string, host: string, tls: Tls | undefined): Located {
  const address = parseHost(host, tls !== undefined);
  if (!address) {
    return { ok: false, message: `${origin} is ${JSON.stringify(host)}: expected unix://, tcp:// or ssh://` };
  }
  return locatedEndpoint({ address, origin, ...(tls && { tls }) });
}

function tlsFrom(folder: string, { read }: Files, verify: boolean): Tls {
  const file = (name: string): string | undefined => read(join(folder, name));
  return { ca: file('ca.pem'), cert: file('cert.pem'), key: file('key.pem'), verify };
}

const fromDockerHost: Strategy = (env, files) => {
  const host = env.DOCKER_HOST;
  if (!host) return undefined;
  // Like the Docker client: DOCKER_CERT_PATH alone does not enable TLS.
  const folder = env.DOCKER_CERT_PATH || dockerFolder(env);
  return locatedHost('DOCKER_HOST', host, env.DOCKER_TLS_VERIFY ? tlsFrom(folder, files, true) : undefined);
};

const fromContainerHost: Strategy = (env) =>
  env.CONTAINER_HOST ? locatedHost('CONTAINER_HOST', env.CONTAINER_HOST, undefined) : undefined;

const dockerFolder = (env: Environment): string => env.DOCKER_CONFIG || join(homeFolder(env), '.docker');

function contextName(env: Environment, { read }: Files): string | undefined {
  if (env.DOCKER_CONTEXT) return env.DOCKER_CONTEXT;
  const current = fieldsOf(read(join(dockerFolder(env), 'config.json'))).currentContext;
  return typeof current === 'string' && current !== '' ? current : undefined;
}

/** Parses a file of another program. A broken one counts as absent. */
function fieldsOf(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Finds the endpoint of the current Docker context. The folder of a context is the SHA-256 of its name. */
const fromContext: Strategy = (env, files) => {
  const name = contextName(env, files);
  if (name === undefined || name === 'default') return undefined;
  const id = createHash('sha256').update(name).digest('hex');
  const store = join(dockerFolder(env), 'contexts');
  const endpoints = fieldsOf(files.read(join(store, 'meta', id, 'meta.json'))).Endpoints;
  const { docker } = (endpoints ?? {}) as { docker?: { Host?: unknown; SkipTLSVerify?: unknown } };
  if (typeof docker?.Host !== 'string') return { ok: false, message: `there is no Docker context ${name}` };
  const tls = tlsFrom(join(store, 'tls', id, 'docker'), files, docker.SkipTLSVerify !== true);
  // Like the Docker client: TLS without verification needs no files.
  return locatedHost(`context ${name}`, docker.Host, tls.ca || tls.cert || !tls.verify ? tls : undefined);
};

/** Returns the usual sockets: system-wide, rootless, Docker Desktop, Podman. */
function usualSockets(env: Environment): readonly string[] {
  const runtime = env.XDG_RUNTIME_DIR ? [env.XDG_RUNTIME_DIR] : [];
  return [
    '/var/run/docker.sock',
    ...runtime.map((folder) => join(folder, 'docker.sock')),
    join(homeFolder(env), '.docker/run/docker.sock'),
    join(homeFolder(env), '.docker/desktop/docker.sock'),
    ...runtime.map((folder) => join(folder, 'podman/podman.sock')),
    '/run/podman/podman.sock',
  ];
}

const fromSockets: Strategy = (env, { exists }) => {
  const sockets = usualSockets(env).filter(exists);
  return { ok: true, endpoints: sockets.map((path) => ({ address: { kind: 'unix', path }, origin: path })) };
};

const strategies: readonly Strategy[] = [fromDockerHost, fromContext, fromContainerHost, fromSockets];

/** Returns the endpoints in the order in which to try them, or why the selected one cannot be used. */
export function locate(env: Environment, files: Files): Located {
  for (const strategy of strategies) {
    const located = strategy(env, files);
    if (located) return located;
  }
  return { ok: true, endpoints: [] };
}

/** Places that the error names when nothing responds. */
export const searchedPlaces = (env: Environment): readonly string[] => [
  'DOCKER_HOST',
  'the Docker context',
  'CONTAINER_HOST',
  ...usualSockets(env),
];
