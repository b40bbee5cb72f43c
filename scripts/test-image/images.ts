/** The images for tests: named by the hash of what goes into them, built when they are not there. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Containers } from '../../cli/sandbox/containers.ts';
import { ensureImage, type Recipe, recipe } from '../../cli/sandbox/image.ts';
import type { ImageParts } from '../../cli/sandbox/targets/proxy.ts';
import { cacheFolder } from '../../platform/cache.ts';
import { takeLock } from '../../platform/lock.ts';

const parts = (name: string, folder: string, more: Partial<ImageParts>): ImageParts => ({
  name,
  folder,
  artefacts: [],
  base: 'debian',
  ...more,
});

export const images = {
  /** LuaJIT, luacheck, LuaRocks and nginx. */
  light: parts('test-light', 'sandbox-images/test', { stage: 'light' }),
  /** With servers and clients of protocols, CrowdSec, Chromium, and tools of the benchmarks. */
  full: parts('test-full', 'sandbox-images/test', { stage: 'full' }),
  /** Schemathesis alone: an index of Python packages that does not answer leaves the others whole. */
  api: parts('test-api', 'sandbox-images/test-api', { sources: ['scripts/toolchain/schemathesis.txt'] }),
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
  const release = await takeLock(join(cacheFolder(), 'locks', basename(made.tag)), { signal, onWait: onLine });
  try {
    await ensureImage(withAuthorities(made, process.env), containers, { signal, onLine });
  } finally {
    release();
  }
  return made.tag;
}
