/**
 * Makes sure that the base image of a sandbox image exists: it is present, the build pulls it, or the set-up of a
 * clone builds it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../platform/assets.ts';
import { command } from '../../../platform/command.ts';
import { ExternalError } from '../../../platform/errors.ts';
import { type BaseName, baseImage, registryAnswers } from '../../../sandbox-images/bases.ts';
import type { Containers } from '../runtime/containers.ts';

/** Cancels a build, and receives the lines of its output. */
export interface Watch {
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

const setUpScript = join(packageRoot, 'scripts/bootstrap');

/** True when the build can pull the base itself: from a configured mirror, or from a registry that responded before. */
const canPull = (): boolean => Boolean(process.env.GUARD_BASE_PREFIX) || registryAnswers() === true;

/**
 * Returns the name of the base for the build, after making sure that the container runtime has it or can pull it.
 * @throws ExternalError
 */
export async function ensureBase(name: BaseName, containers: Containers, { signal, onLine }: Watch): Promise<string> {
  if (canPull() || (await containers.hasImage(baseImage(name)))) return baseImage(name);
  if (existsSync(setUpScript)) {
    // Tries the registry and caches whether it responds. Without a registry, builds an equivalent image from packages.
    const onText = (text: string): void => text.split('\n').filter(Boolean).forEach(onLine);
    await command(setUpScript, [name], { cwd: packageRoot, signal, onText });
  } else if (registryAnswers() === false) {
    throw new ExternalError(`there is no image ${baseImage(name)}, and no image registry responds`, {
      code: 'no_base_image',
      hint: 'set GUARD_BASE_PREFIX to a mirror that has the image, or import the image under this name',
      failed: { tool: 'container runtime' },
    });
  }
  return baseImage(name);
}
