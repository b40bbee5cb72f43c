/** The image of a sandbox, built unless it exists. */

import { ensureImage, recipeOf } from '../../cli/sandbox/image/image.ts';
import type { ImageParts } from '../../cli/sandbox/image/parts.ts';
import type { SandboxProxy } from '../../cli/sandbox/plan/proxy.ts';
import { connect, diskFiles } from '../../cli/sandbox/runtime/connect.ts';
import type { Containers } from '../../cli/sandbox/runtime/containers.ts';
import { open } from '../../cli/sandbox/runtime/docker.ts';
import { loadSandbox } from '../../cli/sandbox/targets/index.ts';
import type { ProxyTarget } from '../../cli/targets/table.ts';

/** A proxy, and its sandbox where a test changes it. */
export interface TestedProxy extends ProxyTarget {
  readonly sandbox?: () => Promise<SandboxProxy>;
}

export const sandboxOf = ({ name, sandbox = () => loadSandbox(name) }: TestedProxy): Promise<SandboxProxy> => sandbox();

/** Returns the tag of the image. */
export async function sandboxImage(
  parts: ImageParts,
): Promise<{ readonly containers: Containers; readonly image: string }> {
  const building = { signal: new AbortController().signal, onLine: () => {} };
  const containers = await connect(process.env, diskFiles, open);
  const made = await recipeOf(parts, building);
  await ensureImage(made, containers, building);
  return { containers, image: made.tag };
}
