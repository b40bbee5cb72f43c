/** The stages of the test image as images: named by the hash of what goes into them, built when they are not there. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Containers } from '../../cli/sandbox/containers.ts';
import { ensureImage, type Recipe, recipe } from '../../cli/sandbox/image.ts';
import type { ImageParts } from '../../cli/sandbox/targets/target.ts';
import { cacheFolder } from '../../platform/cache.ts';
import { takeLock } from '../../platform/lock.ts';

const stage = (name: string, sources: readonly string[] = []): ImageParts => ({
  name: `test-${name}`,
  folder: 'sandbox-images/test',
  stage: name,
  artefacts: [],
  base: 'debian',
  sources,
});

export const images = {
  /** LuaJIT, luacheck, LuaRocks and nginx. */
  light: stage('light'),
  /** All of it but Schemathesis. */
  full: stage('full'),
  /** Schemathesis, which comes from another index of packages, and may be missing where that does not answer. */
  api: stage('api', ['scripts/toolchain/schemathesis.txt']),
} as const satisfies Record<string, ImageParts>;

export type ImageName = keyof typeof images;

/** The certificates that pip is told to trust on this machine go into the build, and not into the name of the image. */
function withAuthorities(made: Recipe, env: NodeJS.ProcessEnv): Recipe {
  if (!env.PIP_CERT) return made;
  const root = cacheFolder(env);
  const name = 'authorities.pem';
  mkdirSync(root, { recursive: true });
  copyFileSync(env.PIP_CERT, join(root, name));
  return { ...made, sources: [...made.sources, { root, paths: [name] }] };
}

/** The tag of the image. Lines of its build go to `onLine`; processes that want the same one wait for the first. */
export async function ensureTestImage(
  name: ImageName,
  containers: Containers,
  onLine: (line: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const made = await recipe(images[name], { signal, onLine });
  if (await containers.hasImage(made.tag)) return made.tag;
  const release = await takeLock(join(cacheFolder(), 'locks', basename(made.tag)), { signal });
  try {
    await ensureImage(withAuthorities(made, process.env), containers, { signal, onLine });
  } finally {
    release();
  }
  return made.tag;
}
