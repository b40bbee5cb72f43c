/** Builds images of Loki and the collector like the published ones, for machines without an image registry. */
import { basename, join } from 'node:path';
import { ensureImage } from '../../cli/sandbox/image/image.ts';
import { packageRoot } from '../../platform/assets.ts';
import { baseImage, seededPrefix } from '../../sandbox-images/bases.ts';
import { buildArtefact } from '../../sandbox-images/build.ts';
import type { Task, TaskContext } from '../tasks/task.ts';
import { runtime } from './containers.ts';

/** Files of the package that each Dockerfile copies. */
const copied = {
  loki: ['observability/loki/loki.yaml'],
  collector: [],
} as const satisfies Record<string, readonly string[]>;

type StackImage = keyof typeof copied;

async function build(name: StackImage, { signal, log }: TaskContext): Promise<void> {
  const binary = await buildArtefact(name, { signal, onProgress: log });
  const recipe = {
    tag: baseImage(name),
    dockerfile: join(packageRoot, 'sandbox-images', name, 'Dockerfile'),
    artefacts: [binary],
    sources: [{ root: packageRoot, paths: copied[name] }],
    arguments: { [name.toUpperCase()]: basename(binary) },
  };
  await ensureImage(recipe, await runtime(), { onLine: (line) => log(`${line}\n`), signal });
}

const image = (name: StackImage): Task => ({
  name: `image-${name}`,
  does: `building the image of ${name}`,
  needs: ['debian'],
  // Otherwise the compose tool pulls the image.
  done: async () => !baseImage(name).startsWith(`${seededPrefix}/`) || (await runtime()).hasImage(baseImage(name)),
  run: (context) => build(name, context),
  fix: 'fix the errors of Go above; if it cannot fetch modules, check GOPROXY. Then run the same command again',
  background: true,
});

export const stackImages: readonly Task[] = [image('loki'), image('collector')];
