/** The base image of a sandbox image: present already, pulled by the build, or made by the set-up of a clone. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../platform/assets.ts';
import { command } from '../../../platform/command.ts';
import { ExternalError } from '../../../platform/errors.ts';
import { type BaseName, baseImage, registryAnswers } from '../../../sandbox-images/bases.ts';
import type { Containers } from '../runtime/containers.ts';

/** Observers of a build. */
export interface Watch {
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

const setUp = join(packageRoot, 'scripts/bootstrap');

/** The build itself pulls from a mirror, and from a registry that responded before. */
const isPulled = (): boolean => Boolean(process.env.GUARD_BASE_PREFIX) || registryAnswers() === true;

/**
 * Returns the reference for the build. The container runtime has the image or can pull it.
 * @throws ExternalError
 */
export async function ensureBase(name: BaseName, containers: Containers, { signal, onLine }: Watch): Promise<string> {
  if (isPulled() || (await containers.hasImage(baseImage(name)))) return baseImage(name);
  if (existsSync(setUp)) {
    // Tries the registry once, caches the result, and builds an equivalent image from packages when there is none.
    const onText = (text: string): void => text.split('\n').filter(Boolean).forEach(onLine);
    await command(setUp, [name], { cwd: packageRoot, signal, onText });
  } else if (registryAnswers() === false) {
    throw new ExternalError(`there is no image ${baseImage(name)}, and no image registry responds`, {
      code: 'no_base_image',
      hint: 'set GUARD_BASE_PREFIX to a mirror that has the image, or import the image under this name',
      failed: { tool: 'container runtime' },
    });
  }
  return baseImage(name);
}
