/** The container runtime through dockerode: Docker, and Podman through its compatible API. */
import { Agent } from 'node:https';
import { type Duplex, PassThrough } from 'node:stream';
import type Docker from 'dockerode';
import { runtimeBounds } from './bounds.ts';
import { followBuild } from './build-output.ts';
import type {
  Attachment,
  BuildSpec,
  ContainerSpec,
  Containers,
  Item,
  Kind,
  Listing,
  NetworkSpec,
  Outputs,
  RunningContainer,
} from './containers.ts';
import { createOptions } from './docker-options.ts';
import { exitOf } from './exit-status.ts';
import { closedNetworkOptions } from './hardening.ts';
import type { Endpoint } from './locate.ts';
import { type Operation, withOperation } from './operation.ts';
import { explainedStart } from './ports.ts';
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

/** Returns a client whose requests end with the signal. Many methods of dockerode ignore an `abortSignal`. */
function endedBy(docker: Docker, signal: AbortSignal): Docker {
  const { modem } = docker;
  const dial: typeof modem.dial = (request, done) =>
    modem.dial({ ...request, abortSignal: request.abortSignal ?? signal }, done);
  return Object.create(docker, { modem: { value: Object.create(modem, { dial: { value: dial } }) } }) as Docker;
}

/** Calls the container runtime. @throws ExternalError with the name of the operation */
const call = <T>(docker: Docker, operation: Operation, work: (client: Docker, ended: AbortSignal) => Promise<T>) =>
  withOperation(operation, (ended) => work(endedBy(docker, ended), ended));

async function buildImage(docker: Docker, spec: BuildSpec, onLine: (line: string) => void, signal: AbortSignal) {
  const target = spec.stage === undefined ? {} : { target: spec.stage };
  const options = { t: spec.tag, ...target, buildargs: { ...spec.arguments }, forcerm: true };
  const operation = { name: 'building the sandbox image', limitMs: runtimeBounds.buildMs, signal };
  await call(docker, operation, async (client, abortSignal) =>
    followBuild(await client.buildImage(spec.context, { ...options, abortSignal }), onLine),
  );
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
  id: string,
  spec: ContainerSpec,
  starting: AbortSignal,
): Promise<RunningContainer> {
  for (const network of spec.networks.slice(1)) await docker.getNetwork(network).connect({ Container: id });
  const released = new AbortController();
  const release = (): void => released.abort();
  const container = docker.getContainer(id);
  try {
    const attach = { stream: true, stdin: spec.stdin, stdout: true, stderr: true, hijack: true };
    const stdin = (await container.attach({ ...attach, abortSignal: starting })) as Duplex;
    released.signal.addEventListener('abort', () => stdin.destroy());
    const outputs = demultiplex(docker, stdin);
    const exit = exitOf(container, stdin, released.signal);
    exit.catch(() => {}); // the owner of the container handles the rejection, possibly later
    await container.start({ abortSignal: starting });
    return { id, stdin, ...outputs, exit, release };
  } catch (error) {
    release(); // Podman does not end the streams of a container that did not start
    throw error;
  }
}

async function runContainer(
  docker: Docker,
  spec: ContainerSpec,
  signal: AbortSignal,
  toOptions: ToOptions,
): Promise<RunningContainer> {
  // An interruption does not end the creation: the removal that follows could miss the container.
  const creating = { name: 'creating the sandbox container', limitMs: runtimeBounds.createMs };
  const { id } = await call(docker, creating, (client) => client.createContainer(toOptions(spec)));
  try {
    const operation = { name: 'starting the sandbox container', limitMs: runtimeBounds.startMs, signal };
    return await call(docker, operation, (client, starting) => startContainer(client, id, spec, starting));
  } catch (error) {
    // Ignores an error of the removal: the error of the start explains more, and `removeSession` finds the container.
    await removeItem(docker, { kind: 'container', id }).catch(() => {});
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

async function removeItem(
  docker: Docker,
  { kind, id }: Pick<Item, 'kind' | 'id'>,
  signal?: AbortSignal,
): Promise<void> {
  const operation = { name: `removing the ${kind} ${id}`, limitMs: runtimeBounds.removeMs, signal };
  await call(docker, operation, (client) =>
    removers[kind](client, id).catch((error: unknown) => {
      if (statusOf(error) !== 404) throw error;
    }),
  );
}

/** Returns the names of an image. One that was pulled by its digest has no tag. */
function namesOf({ RepoTags, RepoDigests }: Docker.ImageInfo): readonly string[] {
  const [tags, digests] = [RepoTags, RepoDigests].map((names) => names?.filter((name) => !name.startsWith('<none>')));
  return tags?.length ? tags : (digests ?? []);
}

/** The API lists a port once for each address. */
const publishedPorts = (ports: readonly Docker.Port[]): number[] =>
  [...new Set(ports.flatMap(({ PublicPort }) => PublicPort || []))].sort((a, b) => a - b);

type Label = readonly [name: string, value: string | undefined];

const filtersOf = ([name, value]: Label): object => ({ label: [value === undefined ? name : `${name}=${value}`] });

/**
 * Returns the items that have the label. What is listed can be removed, and a proxy in front of the container runtime
 * may ignore filters.
 */
function labeled<T extends { Labels?: Item['labels'] | undefined }>(list: readonly T[], [name, value]: Label): T[] {
  if (!Array.isArray(list)) throw new Error('the response is not a list');
  return list.filter(({ Labels }) => Labels?.[name] !== undefined && (value === undefined || Labels[name] === value));
}

const listers = {
  container: async (docker: Docker, label: Label): Promise<Omit<Item, 'kind'>[]> =>
    labeled(await docker.listContainers({ all: true, filters: filtersOf(label) as never }), label).map(
      ({ Id, Names, Created, Labels, Ports, State }) => ({
        ...{ id: Id, created: Created, labels: Labels, isRunning: State === 'running' },
        name: (Names[0] ?? Id).replace(/^\//, ''),
        ports: publishedPorts(Ports),
      }),
    ),
  network: async (docker: Docker, label: Label): Promise<Omit<Item, 'kind'>[]> =>
    labeled(await docker.listNetworks({ filters: filtersOf(label) as never }), label).map(
      ({ Id, Name, Labels = {} }) => ({
        ...{ id: Id, name: Name, labels: Labels },
      }),
    ),
  image: async (docker: Docker, label: Label): Promise<Omit<Item, 'kind'>[]> =>
    labeled(await docker.listImages({ filters: filtersOf(label) as never }), label).flatMap(
      (image): Omit<Item, 'kind'>[] => {
        const { Id, Created } = image;
        const unnamed = { id: Id, created: Created, name: Id.slice('sha256:'.length, 19) };
        const names = namesOf(image);
        return names.length === 0 ? [unnamed] : names.map((name) => ({ ...unnamed, id: name, name }));
      },
    ),
} satisfies Record<Kind, unknown>;

async function listItems(
  docker: Docker,
  kind: Kind,
  name: string,
  { value, signal }: Listing,
): Promise<readonly Item[]> {
  const operation = { name: `listing ${kind}s`, limitMs: runtimeBounds.queryMs, signal };
  const items = await call(docker, operation, (client) => listers[kind](client, [name, value]));
  return items.map((item) => ({ kind, ...item }));
}

async function followContainer(docker: Docker, id: string, lines: number, signal: AbortSignal): Promise<Outputs> {
  const options = { follow: true, stdout: true, stderr: true, tail: lines } as const;
  const operation = { name: 'reading the log of the sandbox', limitMs: runtimeBounds.queryMs };
  const log = await call(docker, operation, (client, ended) =>
    client.getContainer(id).logs({ ...options, abortSignal: AbortSignal.any([ended, signal]) }),
  );
  return demultiplex(docker, log as Duplex);
}

async function attachmentsOf(docker: Docker, id: string, signal: AbortSignal): Promise<readonly Attachment[]> {
  const operation = { name: 'inspecting the sandbox container', limitMs: runtimeBounds.queryMs, signal };
  const { NetworkSettings } = await call(docker, operation, (client) => client.getContainer(id).inspect());
  return Object.entries(NetworkSettings.Networks).map(([network, { IPAddress, Gateway }]) => ({
    network,
    address: IPAddress,
    gateway: Gateway,
  }));
}

function hasImage(docker: Docker, tag: string, signal?: AbortSignal): Promise<boolean> {
  const operation = { name: 'looking for the sandbox image', limitMs: runtimeBounds.queryMs, signal };
  return call(docker, operation, async (client) => {
    try {
      await client.getImage(tag).inspect();
      return true;
    } catch (error) {
      if (statusOf(error) === 404) return false;
      throw error;
    }
  });
}

/** An interruption does not end the creation: the removal that follows could miss the network. */
async function createNetwork(docker: Docker, { name, labels }: NetworkSpec): Promise<void> {
  const spec = { Name: name, Internal: true, Options: { ...closedNetworkOptions }, Labels: { ...labels } };
  const operation = { name: 'creating the sandbox network', limitMs: runtimeBounds.createMs };
  await call(docker, operation, (client) => client.createNetwork(spec));
}

export type ToOptions = (spec: ContainerSpec) => Docker.ContainerCreateOptions;

/**
 * Connects to a container runtime.
 * @param signal ends the wait for the first response
 * @param toOptions default: with the restrictions of sandboxes
 * @throws the connection error when nothing responds
 */
export async function open(
  endpoint: Endpoint,
  signal: AbortSignal,
  toOptions: ToOptions = createOptions,
): Promise<Containers> {
  const { default: Client } = await import('dockerode');
  const docker = new Client(modemOptions(endpoint));
  const client = docker as unknown as { version: (options: object) => Promise<Docker.DockerVersion> };
  const { Arch, Version } = await client.version({ abortSignal: signal });
  return {
    runtime: { origin: endpoint.origin, address: endpoint.address, architecture: Arch, version: Version },
    hasImage: (tag, ended) => hasImage(docker, tag, ended),
    build: (spec, onLine, ended) => buildImage(docker, spec, onLine, ended),
    createNetwork: (spec) => createNetwork(docker, spec),
    run: (spec, ended) => runContainer(docker, spec, ended, toOptions),
    follow: (id, lines, ended) => followContainer(docker, id, lines, ended),
    attachments: (id, ended) => attachmentsOf(docker, id, ended),
    list: (kind, label, listing = {}) => listItems(docker, kind, label, listing),
    remove: (item, ended) => removeItem(docker, item, ended),
  };
}
