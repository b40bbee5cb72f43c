/** Preparation before the first container: a container runtime, an image, free ports, and the plan. */
import { randomBytes } from 'node:crypto';
import { ExternalError } from '../../../platform/errors.ts';
import type { Architecture } from '../../../sandbox-images/go.ts';
import type { Context } from '../../program/context.ts';
import { ensureImage, type Recipe, recipe } from '../image/image.ts';
import type { Plan } from '../plan/plan.ts';
import { connect, diskFiles } from '../runtime/connect.ts';
import type { Containers } from '../runtime/containers.ts';
import { open } from '../runtime/docker.ts';
import { isLocal } from '../runtime/endpoint.ts';
import { checkPorts } from '../runtime/ports.ts';
import type { ImageParts } from '../targets/proxy.ts';
import type { RunStage } from './session.ts';
import type { Action } from './work.ts';

export const newSession = (): string => randomBytes(6).toString('hex');

const architectures: readonly string[] = ['amd64', 'arm64'] satisfies Architecture[];

function remoteError({ runtime }: Containers, port: number): ExternalError {
  return new ExternalError(
    'the container runtime is on another machine, where it would publish the ports of the sandbox',
    {
      code: 'remote_runtime',
      hint: `run guardcli there, or use --detach and forward the port: ssh -L ${port}:127.0.0.1:${port} <machine>`,
      failed: { tool: 'container runtime', output: runtime.origin },
    },
  );
}

/** Requirements for starting a container. */
export interface Wanted {
  readonly target: ImageParts;
  readonly action: Action;
  /** Ports of this machine that must be free. The first one serves requests. */
  readonly ports: readonly [number, ...number[]];
}

/** Receives the progress. */
interface Watched {
  readonly stage: RunStage;
  /** Receives lines of the builder. */
  readonly onLine: (line: string) => void;
}

async function findRuntime({ action, ports: [port] }: Wanted, { env }: Context): Promise<Containers> {
  const containers = await connect(env, diskFiles, open);
  const { architecture, address } = containers.runtime;
  if (action !== 'detach' && !isLocal(address)) throw remoteError(containers, port);
  if (architectures.includes(architecture)) return containers;
  throw new ExternalError(
    `the container runtime runs ${architecture} programs, but sandboxes exist only for amd64 and arm64`,
    {
      code: 'foreign_architecture',
      failed: { tool: 'container runtime' },
    },
  );
}

async function makeImage({ target }: Wanted, containers: Containers, { onLine }: Watched, signal: AbortSignal) {
  const arch = containers.runtime.architecture as Architecture;
  const building = { arch, signal, onLine };
  const made = await recipe(target, building);
  await ensureImage(made, containers, building);
  return made;
}

/**
 * Creates only an image.
 * @throws ExternalError
 */
export async function prepare<P extends Plan>(
  wanted: Wanted,
  plan: (made: Recipe, ipv6: boolean) => P,
  watched: Watched,
  context: Context,
): Promise<{ readonly containers: Containers; readonly planned: P }> {
  const containers = await watched.stage(
    'runtime',
    () => findRuntime(wanted, context),
    ({ runtime }) => runtime.origin,
  );
  const make = (): Promise<Recipe> => makeImage(wanted, containers, watched, context.signal);
  const made = await watched.stage('image', make, ({ tag }) => tag);
  const { ipv6 } = await checkPorts(wanted.ports);
  return { containers, planned: plan(made, ipv6) };
}
