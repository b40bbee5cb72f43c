/** The compiled Traefik of sandboxes and tests, in the cache folder: the pinned version without its web interface. */
import { constants, copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { artefacts } from '../../artefacts/artefacts.ts';
import { type BuildOptions, buildOnce, compilerId, localArch } from '../../artefacts/build.ts';
import { contentHash } from '../../artefacts/sources.ts';
import { packageRoot, packageVersion } from '../../platform/assets.ts';
import { cacheFolder } from '../../platform/cache.ts';
import { makeProgram } from './make.ts';
import { builtProxies } from './proxies.ts';
import { type ProgramSpec, stepsOf } from './steps.ts';

const cacheName = 'traefik-compiled';

function traefikSpec(): ProgramSpec {
  const proxy = builtProxies.find((row) => row.name === 'traefik');
  if (!proxy) throw new Error('there is no row for Traefik');
  return { proxy, version: proxy.module.pinned, modules: [], hasWebInterface: false, guard: packageVersion() };
}

/** Returns the path of the program in the cache. The program may not exist yet. */
export async function compiledTraefikPath(arch = localArch()): Promise<string> {
  const steps = JSON.stringify(stepsOf(traefikSpec(), ''));
  const inputs = { ...artefacts.traefik, inputs: [artefacts.traefik.source, 'module'] };
  const hash = contentHash(packageRoot, inputs, await compilerId(), arch, steps);
  return join(cacheFolder(), 'artefacts', `${cacheName}-${hash}`);
}

export const isCompiledTraefikBuilt = async (): Promise<boolean> => existsSync(await compiledTraefikPath());

/** Returns the path of the static program for Linux. Builds it when it is missing. @throws ExternalError */
export async function compiledTraefik(options: BuildOptions = {}): Promise<string> {
  const { arch = localArch(), signal = new AbortController().signal, onProgress = () => {} } = options;
  const onStep = (title: string): void => onProgress(`${title}\n`);
  const watch = { signal, onStep, onText: onProgress, onOmitted: () => {} };
  const make = (output: string): Promise<void> =>
    makeProgram(traefikSpec(), { os: 'linux', arch }, watch, async ({ folder }) =>
      copyFileSync(join(folder, 'traefik'), output, constants.COPYFILE_FICLONE),
    );
  return buildOnce({ name: cacheName, result: await compiledTraefikPath(arch), make }, options);
}
