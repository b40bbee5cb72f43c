/** Acquires what the first container needs: a container runtime, the image and free ports. */

import type { Architecture } from '../../../artefacts/go.ts';
import { connect, diskFiles } from '../../../containers/connect.ts';
import type { Containers } from '../../../containers/containers.ts';
import { open } from '../../../containers/docker.ts';
import { isLocal } from '../../../containers/endpoint.ts';
import { checkPorts } from '../../../containers/ports.ts';
import { ExternalError } from '../../../platform/errors.ts';
import type { Context } from '../../program/context.ts';
import { ensureImage, type Recipe, recipeOf } from '../image/image.ts';
import type { ImageParts } from '../image/parts.ts';
import type { HostPorts } from '../plan/plan.ts';
import type { RunStage } from './state.ts';
import type { Action } from './work.ts';

const architectures: readonly string[] = ['amd64', 'arm64'] satisfies Architecture[];

export interface Requirements {
  readonly image: ImageParts;
  readonly action: Action;
  readonly ports: HostPorts;
}

interface Observer {
  readonly stage: RunStage;
  readonly onBuildLine: (line: string) => void;
}

export interface Acquired {
  readonly containers: Containers;
  readonly recipe: Recipe;
  /** True when this machine has an IPv6 loopback. */
  readonly ipv6: boolean;
}

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

async function findRuntime({ action, ports: [port] }: Requirements, { env, signal }: Context): Promise<Containers> {
  const containers = await connect(env, diskFiles, open, signal);
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

async function acquireImage(
  image: ImageParts,
  containers: Containers,
  onLine: Observer['onBuildLine'],
  signal: AbortSignal,
): Promise<Recipe> {
  const arch = containers.runtime.architecture as Architecture;
  const building = { arch, signal, onLine };
  const recipe = await recipeOf(image, building);
  await ensureImage(recipe, containers, building);
  return recipe;
}

/**
 * Acquires the container runtime, the image and free ports. Leaves nothing in the container runtime except images.
 * @throws ExternalError
 */
export async function acquire(
  requirements: Requirements,
  { stage, onBuildLine }: Observer,
  context: Context,
): Promise<Acquired> {
  const containers = await stage(
    'runtime',
    () => findRuntime(requirements, context),
    ({ runtime }) => runtime.origin,
  );
  // The image can take minutes to build, so ports are checked before and after it.
  await checkPorts(requirements.ports);
  const recipe = await stage(
    'image',
    () => acquireImage(requirements.image, containers, onBuildLine, context.signal),
    ({ tag }) => tag,
  );
  const { ipv6 } = await checkPorts(requirements.ports);
  return { containers, recipe, ipv6 };
}
