/** The test images. Their names are hashes of their inputs; they are built when missing. */
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
  /** Servers and clients of protocols, CrowdSec, Chromium, and tools of the benchmarks. */
  full: parts('test-full', 'sandbox-images/test', { stage: 'full' }),
  /** Schemathesis in a separate image, so that an unavailable Python package index does not affect the others. */
  api: parts('test-api', 'sandbox-images/test-api', { sources: ['scripts/toolchain/schemathesis.txt'] }),
} as const satisfies Record<string, ImageParts>;

export type ImageName = keyof typeof images;

/** The certificates for pip on this machine are an input of the build, but not of the image name. */
function withAuthorities(made: Recipe, env: NodeJS.ProcessEnv): Recipe {
  if (!env.PIP_CERT) return made;
  const root = cacheFolder(env);
  const name = 'authorities.pem';
  mkdirSync(root, { recursive: true });
  copyFileSync(env.PIP_CERT, join(root, name));
  return { ...made, sources: [...made.sources, { root, paths: [name] }] };
}

/**
 * Returns the tag of the image. Passes build lines to `onLine`. Processes that need the same image wait for the first
 * build.
 */
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
