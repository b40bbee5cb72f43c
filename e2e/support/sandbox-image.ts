/** The image of a sandbox, built unless it exists. */

import { ensureImage, recipe } from '../../cli/sandbox/image/image.ts';
import { connect, diskFiles } from '../../cli/sandbox/runtime/connect.ts';
import type { Containers } from '../../cli/sandbox/runtime/containers.ts';
import { open } from '../../cli/sandbox/runtime/docker.ts';
import type { ImageParts } from '../../cli/sandbox/targets/proxy.ts';

/** Returns the tag of the image. */
export async function sandboxImage(
  parts: ImageParts,
): Promise<{ readonly containers: Containers; readonly image: string }> {
  const building = { signal: new AbortController().signal, onLine: () => {} };
  const containers = await connect(process.env, diskFiles, open);
  const made = await recipe(parts, building);
  await ensureImage(made, containers, building);
  return { containers, image: made.tag };
}
