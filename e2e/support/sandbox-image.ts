import { compiledSandbox } from '../../cli/build/sandbox.ts';
import { ensureImage, recipeOf } from '../../cli/sandbox/image/image.ts';
import type { ImageParts } from '../../cli/sandbox/image/parts.ts';
import type { SandboxProxy } from '../../cli/sandbox/plan/proxy.ts';
import { loadSandbox } from '../../cli/sandbox/targets/index.ts';
import type { ProxyTarget } from '../../cli/targets/table.ts';
import { connect, diskFiles } from '../../containers/connect.ts';
import type { Containers } from '../../containers/containers.ts';
import { open } from '../../containers/docker.ts';

export interface TestedProxy extends ProxyTarget {
  readonly sandbox?: () => Promise<SandboxProxy>;
}

/** If true, tests run with the guard compiled into Traefik instead of the plugin. */
export const isTraefikCompiled = process.env.TEST_TRAEFIK === 'compiled';

const usualSandbox = async (name: ProxyTarget['name']): Promise<SandboxProxy> =>
  name === 'traefik' && isTraefikCompiled ? compiledSandbox : loadSandbox(name);

export const sandboxOf = ({ name, sandbox = () => usualSandbox(name) }: TestedProxy): Promise<SandboxProxy> =>
  sandbox();

/** Returns the image of a sandbox, built if it is absent. */
export async function sandboxImage(
  parts: ImageParts,
): Promise<{ readonly containers: Containers; readonly image: string }> {
  const building = { signal: new AbortController().signal, onLine: () => {} };
  const containers = await connect(process.env, diskFiles, open);
  const made = await recipeOf(parts, building);
  await ensureImage(made, containers, building);
  return { containers, image: made.tag };
}
