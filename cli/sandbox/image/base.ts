/** Makes sure that the base image exists: it is present, the build pulls it, or the set-up of a clone builds it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Containers } from '../../../containers/containers.ts';
import { packageRoot } from '../../../platform/assets.ts';
import { command } from '../../../platform/command.ts';
import { ExternalError } from '../../../platform/errors.ts';
import { type BaseName, baseImage, didRegistryRespond } from '../../../sandbox-images/bases.ts';

export interface Watch {
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

const setUpScript = join(packageRoot, 'scripts/bootstrap');

/** True when a mirror is configured, or a registry responded before. */
const canPull = (): boolean => Boolean(process.env.GUARD_BASE_PREFIX) || didRegistryRespond() === true;

/** Returns the name of a base that the container runtime has, or that the build tries to pull. @throws ExternalError */
export async function ensureBase(name: BaseName, containers: Containers, { signal, onLine }: Watch): Promise<string> {
  if (canPull() || (await containers.hasImage(baseImage(name), signal))) return baseImage(name);
  if (existsSync(setUpScript)) {
    // Without a registry, the script builds an equivalent image from packages.
    const onText = (text: string): void => text.split('\n').filter(Boolean).forEach(onLine);
    await command(setUpScript, [name], { cwd: packageRoot, signal, onText });
  } else if (didRegistryRespond() === false) {
    throw new ExternalError(`there is no image ${baseImage(name)}, and no image registry responds`, {
      code: 'no_base_image',
      hint: 'set GUARD_BASE_PREFIX to a mirror that has the image, or import the image under this name',
      failed: { tool: 'container runtime' },
    });
  }
  return baseImage(name);
}
