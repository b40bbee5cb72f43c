/** Images with programs for tests. Their tags are hashes of their inputs. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureImage, type Recipe, recipeOf } from '../../cli/sandbox/image/image.ts';
import type { ImageParts } from '../../cli/sandbox/image/parts.ts';
import type { Containers } from '../../containers/containers.ts';
import { cacheFolder } from '../../platform/cache.ts';
import type { Task } from '../tasks/task.ts';
import { runtime } from './containers.ts';

const imageParts = (name: string, folder: string, more: Partial<ImageParts> = {}): ImageParts => ({
  ...{ name, folder, artefacts: [], base: 'debian' },
  ...more,
});

export const images = {
  /** LuaJIT, luacheck, LuaRocks, nginx, tmux, zsh and fish. */
  light: imageParts('test-light', 'sandbox-images/test', { stage: 'light' }),
  /** Servers and clients of protocols, CrowdSec, Chromium, and tools of the benchmarks. */
  full: imageParts('test-full', 'sandbox-images/test', { stage: 'full' }),
  /** Applications that people host themselves, in addition to `full`. */
  applications: imageParts('test-applications', 'sandbox-images/test', { stage: 'applications' }),
  /** Of Debian sid, which has the newest HAProxy. */
  relay: imageParts('test-relay', 'sandbox-images/test-relay', { base: 'debian-sid' }),
  /** LuaRocks and Test::Nginx. */
  resty: imageParts('test-resty', 'sandbox-images/test-resty', { base: 'debian-sid' }),
  /** Schemathesis in a separate image, so that an unavailable Python package index does not affect the other images. */
  api: imageParts('test-api', 'sandbox-images/test-api', { sources: ['sandbox-images/test-api/requirements.txt'] }),
  /** Other tools against scanners in nginx, and fail2ban. */
  tools: imageParts('test-tools', 'sandbox-images/test-tools'),
  /** systemd as process 1. */
  systemd: imageParts('test-systemd', 'sandbox-images/test-systemd', {
    sources: ['start.sh', 'test-command.service'].map((name) => `sandbox-images/test-systemd/${name}`),
  }),
} as const satisfies Record<string, ImageParts>;

export type ImageName = keyof typeof images;

/** Adds the certificates that pip trusts on this machine. The hash in the tag does not cover them. */
function withCertificates(made: Recipe, env: NodeJS.ProcessEnv): Recipe {
  if (!env.PIP_CERT) return made;
  const root = cacheFolder(env);
  const name = 'authorities.pem';
  mkdirSync(root, { recursive: true });
  copyFileSync(env.PIP_CERT, join(root, name));
  return { ...made, sources: [...made.sources, { root, paths: [name] }] };
}

/** Builds the image unless it exists. Returns its tag. Passes build lines to `onLine`. */
export async function ensureTestImage(
  name: ImageName,
  containers: Containers,
  onLine: (line: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const made = await recipeOf(images[name], { signal, onLine });
  await ensureImage(withCertificates(made, process.env), containers, { signal, onLine });
  return made.tag;
}

const baseOf = (name: ImageName): string => images[name].base ?? 'debian';

const imageTask = (name: ImageName, does: string): Task => ({
  name: `image-${name}`,
  does: `building the test image with ${does}`,
  needs: [baseOf(name)],
  done: async () => {
    const { tag } = await recipeOf(images[name], { signal: new AbortController().signal, onLine: () => {} });
    return (await runtime()).hasImage(tag);
  },
  run: async ({ log, signal }) => ensureTestImage(name, await runtime(), (line) => log(`${line}\n`), signal),
  fix: 'check that the container runtime reaches the package archive of Debian, then run the same command again',
  background: true,
});

export const testImages: readonly Task[] = [
  imageTask('light', 'LuaJIT and nginx'),
  imageTask('full', 'servers, clients and a browser'),
  imageTask('applications', 'applications that people host themselves'),
  imageTask('relay', 'relays and loads'),
  imageTask('resty', 'LuaRocks and Test::Nginx'),
  imageTask('api', 'Schemathesis'),
  imageTask('tools', 'other tools against scanners'),
  imageTask('systemd', 'systemd'),
];
