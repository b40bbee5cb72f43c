/** The container runtime through dockerode: Docker, and Podman through its compatible API. */
import { Agent } from 'node:https';
import { type Duplex, PassThrough } from 'node:stream';
import type Docker from 'dockerode';
import { followBuild } from './build-output.ts';
import type {
  Attachment,
  BuildSpec,
  ContainerSpec,
  Containers,
  Item,
  Kind,
  NetworkSpec,
  Outputs,
  RunningContainer,
} from './containers.ts';
import { createOptions } from './docker-options.ts';
import { exitOf } from './exit-status.ts';
import { closedNetworkOptions } from './hardening.ts';
import type { Endpoint } from './locate.ts';
import { explainedStart } from './ports.ts';
import { operationError, withOperation } from './runtime-error.ts';
import { SshAgent } from './ssh.ts';

const statusOf = (error: unknown): unknown => (error as { statusCode?: unknown }).statusCode;

/** Sets every option: docker-modem reads absent ones from DOCKER_HOST. */
function modemOptions(endpoint: Endpoint): Docker.DockerOptions {
  const { address, tls } = endpoint;
  const others = { ca: undefined, cert: undefined, key: undefined, pathPrefix: '/' }; // the agent has all TLS settings
  const unused = { ...others, host: undefined, port: undefined, socketPath: undefined, agent: undefined };
  const route = (options: object) => ({ ...unused, protocol: 'http', ...options }) as Docker.DockerOptions;
  if (address.kind === 'unix') return route({ socketPath: address.path });
  if (address.kind === 'ssh') return route({ host: 'ssh.invalid', port: 80, agent: new SshAgent(address) });
  const { host, port } = address;
  if (!tls) return route({ host, port });
  const { ca, cert, key, verify } = tls;
  return route({ protocol: 'https', host, port, agent: new Agent({ ca, cert, key, rejectUnauthorized: verify }) });
}

async function buildImage(docker: Docker, spec: BuildSpec, onLine: (line: string) => void, signal: AbortSignal) {
  const target = spec.stage === undefined ? {} : { target: spec.stage };
  const options = { t: spec.tag, ...target, buildargs: { ...spec.arguments }, forcerm: true, abortSignal: signal };
  const output = await withOperation('building the sandbox image', docker.buildImage(spec.context, options));
  await withOperation('building the sandbox image', followBuild(output, onLine));
}

/** Splits the stream of a container into its outputs. They end when the stream ends, closes or fails. */
function demultiplex(docker: Docker, stream: Duplex): Outputs {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  docker.modem.demuxStream(stream, stdout, stderr);
  const ended = (): void => {
    stdout.end();
    stderr.end();
  };
  stream.on('end', ended).on('close', ended).on('error', ended);
  return { stdout, stderr };
}

/** Starts a container. A signal that is aborted after the start does not end the streams. */
async function startContainer(
  docker: Docker,
  container: Docker.Container,
  spec: ContainerSpec,
  signal: AbortSignal,
): Promise<RunningContainer> {
  for (const network of spec.networks.slice(1)) await docker.getNetwork(network).connect({ Container: container.id });
  const starting = new AbortController();
  const abort = (): void => starting.abort(signal.reason);
  const released = new AbortController();
  const release = (): void => released.abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const attach = { stream: true, stdin: spec.stdin, stdout: true, stderr: true, hijack: true };
    const stdin = (await container.attach({ ...attach, abortSignal: starting.signal })) as Duplex;
    released.signal.addEventListener('abort', () => stdin.destroy());
    const outputs = demultiplex(docker, stdin);
    const exit = exitOf(container, stdin, released.signal);
    exit.catch(() => {}); // the owner of the container handles the rejection, possibly later
    await container.start({ abortSignal: starting.signal });
    return { id: container.id, stdin, ...outputs, exit, release };
  } catch (error) {
    release(); // Podman does not end the streams of a container that did not start
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function runContainer(
  docker: Docker,
  spec: ContainerSpec,
  signal: AbortSignal,
  toOptions: ToOptions,
): Promise<RunningContainer> {
  const container = await withOperation('creating the sandbox container', docker.createContainer(toOptions(spec)));
  try {
    signal.throwIfAborted();
    return await withOperation('starting the sandbox container', startContainer(docker, container, spec, signal));
  } catch (error) {
    // Ignores an error of the removal: the error of the start explains more, and `removeSession` finds the container.
    await removeItem(docker, { kind: 'container', id: container.id }).catch(() => {});
    throw explainedStart(error, spec.ports);
  }
}

const removers = {
  container: async (docker: Docker, id: string): Promise<void> => {
    const container = docker.getContainer(id);
    await container.remove({ force: true, v: true }).catch((error: unknown) => {
      if (statusOf(error) !== 409) throw error;
      // 409: the container runtime is already removing it.
      return container.wait({ condition: 'removed' });
    });
  },
  network: (docker: Docker, id: string): Promise<unknown> => docker.getNetwork(id).remove(),
  // With `force`, removing one name by id would remove all names of the image.
  image: (docker: Docker, id: string): Promise<unknown> => docker.getImage(id).remove(),
} satisfies Record<Kind, (docker: Docker, id: string) => Promise<unknown>>;

async function removeItem(docker: Docker, { kind, id }: Pick<Item, 'kind' | 'id'>): Promise<void> {
  await removers[kind](docker, id).catch((error: unknown) => {
    if (statusOf(error) !== 404) throw operationError(`removing the ${kind} ${id}`, error);
  });
}

/** Returns the names of an image. One that was pulled by its digest has no tag. */
function namesOf({ RepoTags, RepoDigests }: Docker.ImageInfo): readonly string[] {
  const [tags, digests] = [RepoTags, RepoDigests].map((names) => names?.filter((name) => !name.startsWith('<none>')));
  return tags?.length ? tags : (digests ?? []);
}

/** The API lists a port once for each address. */
const publishedPorts = (ports: readonly Docker.Port[]): number[] =>
  [...new Set(ports.flatMap(({ PublicPort }) => PublicPort || []))].sort((a, b) => a - b);

const listers = {
  container: async (docker: Docker, filters: object): Promise<Omit<Item, 'kind'>[]> =>
    (await docker.listContainers({ all: true, filters: filters as never })).map(
      ({ Id, Names, Created, Labels, Ports, State }) => ({
        ...{ id: Id, created: Created, labels: Labels, isRunning: State === 'running' },
        name: (Names[0] ?? Id).replace(/^\//, ''),
        ports: publishedPorts(Ports),
      }),
    ),
  network: async (docker: Docker, filters: object): Promise<Omit<Item, 'kind'>[]> =>
    (await docker.listNetworks({ filters: filters as never })).map(({ Id, Name, Labels = {} }) => ({
      ...{ id: Id, name: Name, labels: Labels },
    })),
  image: async (docker: Docker, filters: object): Promise<Omit<Item, 'kind'>[]> =>
    (await docker.listImages({ filters: filters as never })).flatMap((image): Omit<Item, 'kind'>[] => {
      const { Id, Created } = image;
      const unnamed = { id: Id, created: Created, name: Id.slice('sha256:'.length, 19) };
      const names = namesOf(image);
      return names.length === 0 ? [unnamed] : names.map((name) => ({ ...unnamed, id: name, name }));
    }),
} satisfies Record<Kind, unknown>;

async function listItems(docker: Docker, kind: Kind, label: string, value?: string): Promise<readonly Item[]> {
  const filters = { label: [value === undefined ? label : `${label}=${value}`] };
  const items = await withOperation(`listing ${kind}s`, listers[kind](docker, filters));
  return items.map((item) => ({ kind, ...item }));
}

async function followContainer(docker: Docker, id: string, lines: number, signal: AbortSignal): Promise<Outputs> {
  const options = { follow: true, stdout: true, stderr: true, tail: lines, abortSignal: signal } as const;
  const log = (await withOperation('reading the log of the sandbox', docker.getContainer(id).logs(options))) as Duplex;
  return demultiplex(docker, log);
}

async function attachmentsOf(docker: Docker, id: string): Promise<readonly Attachment[]> {
  const { NetworkSettings } = await withOperation(
    'inspecting the sandbox container',
    docker.getContainer(id).inspect(),
  );
  return Object.entries(NetworkSettings.Networks).map(([network, { IPAddress, Gateway }]) => ({
    network,
    address: IPAddress,
    gateway: Gateway,
  }));
}

async function hasImage(docker: Docker, tag: string): Promise<boolean> {
  try {
    await docker.getImage(tag).inspect();
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw operationError('looking for the sandbox image', error);
  }
}

async function createNetwork(docker: Docker, { name, labels }: NetworkSpec): Promise<void> {
  const spec = { Name: name, Internal: true, Options: { ...closedNetworkOptions }, Labels: { ...labels } };
  await withOperation('creating the sandbox network', docker.createNetwork(spec));
}

export type ToOptions = (spec: ContainerSpec) => Docker.ContainerCreateOptions;

/**
 * Connects to a container runtime.
 * @param toOptions default: with the restrictions of sandboxes
 * @throws the connection error when nothing responds
 */
export async function open(
  endpoint: Endpoint,
  timeoutMs: number,
  toOptions: ToOptions = createOptions,
): Promise<Containers> {
  const { default: Client } = await import('dockerode');
  const docker = new Client(modemOptions(endpoint));
  const client = docker as unknown as { version: (options: object) => Promise<Docker.DockerVersion> };
  const { Arch, Version } = await client.version({ abortSignal: AbortSignal.timeout(timeoutMs) });
  return {
    runtime: { origin: endpoint.origin, address: endpoint.address, architecture: Arch, version: Version },
    hasImage: (tag) => hasImage(docker, tag),
    build: (spec, onLine, signal) => buildImage(docker, spec, onLine, signal),
    createNetwork: (spec) => createNetwork(docker, spec),
    run: (spec, signal) => runContainer(docker, spec, signal, toOptions),
    follow: (id, lines, signal) => followContainer(docker, id, lines, signal),
    attachments: (id) => attachmentsOf(docker, id),
    list: (kind, label, value) => listItems(docker, kind, label, value),
    remove: (item) => removeItem(docker, item),
  };
}
