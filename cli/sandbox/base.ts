/** The base image of a sandbox image: there already, pulled by the build, or made by the set-up of a clone. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { ExternalError } from '../../platform/errors.ts';
import { type BaseName, baseImage, registryAnswers } from '../../sandbox-images/bases.ts';
import type { Containers } from './containers.ts';

/** What a build is watched by. */
export interface Watch {
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

const setUp = join(packageRoot, 'scripts/bootstrap');

/** A mirror, and a registry that was seen to answer, are asked by the build itself. */
const isPulled = (): boolean => Boolean(process.env.GUARD_BASE_PREFIX) || registryAnswers() === true;

/**
 * Reference for the build; what it names is in the container runtime, or can be pulled.
 * @throws ExternalError
 */
export async function ensureBase(name: BaseName, containers: Containers, { signal, onLine }: Watch): Promise<string> {
  if (isPulled() || (await containers.hasImage(baseImage(name)))) return baseImage(name);
  if (existsSync(setUp)) {
    // Tries the registry once, keeps the answer, and makes an equivalent from packages where there is none.
    const onText = (text: string): void => text.split('\n').filter(Boolean).forEach(onLine);
    await command(setUp, [name], { cwd: packageRoot, signal, onText });
  } else if (registryAnswers() === false) {
    throw new ExternalError(`there is no image ${baseImage(name)}, and no image registry answers`, {
      code: 'no_base_image',
      hint: 'set GUARD_BASE_PREFIX to a mirror that has it, or import it under this name',
      failed: { tool: 'container runtime' },
    });
  }
  return baseImage(name);
}
