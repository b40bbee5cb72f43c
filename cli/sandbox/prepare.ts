/** What comes before the first container: a container runtime, an image, free ports, and the plan. */
import { randomBytes } from 'node:crypto';
import type { Policy } from '../../contract/policy/schema.ts';
import { ExternalError } from '../../platform/errors.ts';
import type { Architecture } from '../../sandbox-images/go.ts';
import type { Context } from '../program/context.ts';
import { connect, diskFiles } from './connect.ts';
import type { Containers } from './containers.ts';
import { open } from './docker.ts';
import { isLocal } from './endpoint.ts';
import { ensureImage, type Recipe, recipe } from './image.ts';
import { type Plan, planSandbox } from './plan.ts';
import { checkPorts } from './ports.ts';
import type { Reporter } from './reporter.ts';
import type { ImageParts, Target } from './targets/target.ts';

export interface SessionOptions {
  readonly target: Target;
  readonly policy: Policy;
  readonly action: 'test' | 'detach' | 'follow';
  readonly port: number;
  readonly upstream: URL | undefined;
  readonly isolated: boolean;
}

export const newSession = (): string => randomBytes(6).toString('hex');

export function planOf(options: SessionOptions, image: string, ipv6: boolean, { env }: Context): Plan {
  const { target, policy, port, upstream, isolated, action } = options;
  const sites = [{ policy, hostPort: port }];
  const detach = action === 'detach';
  return planSandbox({ target, sites, image, session: newSession(), ipv6, upstream, isolated, detach, env });
}

const architectures: readonly string[] = ['amd64', 'arm64'] satisfies Architecture[];

function remoteError({ runtime }: Containers, port: number): ExternalError {
  return new ExternalError('the container runtime runs on another machine, and so do the ports of the sandbox', {
    code: 'remote_runtime',
    hint: `run guardcli there, or use --detach and forward the port: ssh -L ${port}:127.0.0.1:${port} <machine>`,
    failed: { tool: 'container runtime', output: runtime.origin },
  });
}

/** What has to be there before a container can be started. */
export interface Wanted {
  readonly target: ImageParts;
  readonly action: SessionOptions['action'];
  /** Ports of this machine that have to be free; the first one is the one to ask. */
  readonly ports: readonly [number, ...number[]];
}

async function findRuntime({ action, ports: [port] }: Wanted, { env }: Context): Promise<Containers> {
  const containers = await connect(env, diskFiles, open);
  const { architecture, address } = containers.runtime;
  if (action !== 'detach' && !isLocal(address)) throw remoteError(containers, port);
  if (architectures.includes(architecture)) return containers;
  throw new ExternalError(
    `the container runtime runs ${architecture} programs; sandboxes are built for amd64 and arm64`,
    {
      code: 'foreign_architecture',
      failed: { tool: 'container runtime' },
    },
  );
}

async function makeImage({ target }: Wanted, containers: Containers, reporter: Reporter, signal: AbortSignal) {
  const arch = containers.runtime.architecture as Architecture;
  const building = { arch, signal, onLine: (line: string) => reporter.tell({ kind: 'build', line }) };
  const made = await recipe(target, building);
  await ensureImage(made, containers, building);
  return made;
}

/**
 * Leaves nothing behind but an image.
 * @throws ExternalError
 */
export async function prepare<P extends Plan>(
  wanted: Wanted,
  plan: (made: Recipe, ipv6: boolean) => P,
  reporter: Reporter,
  context: Context,
): Promise<{ readonly containers: Containers; readonly planned: P }> {
  const containers = await reporter.stage(
    'runtime',
    () => findRuntime(wanted, context),
    ({ runtime }) => runtime.origin,
  );
  const make = (): Promise<Recipe> => makeImage(wanted, containers, reporter, context.signal);
  const made = await reporter.stage('image', make, ({ tag }) => tag);
  const { ipv6 } = await checkPorts(wanted.ports);
  return { containers, planned: plan(made, ipv6) };
}
