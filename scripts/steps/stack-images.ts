/** Programs and images of the dashboard's stack for tests. The collector is compiled where no registry responds. */
import { chmodSync, copyFileSync, existsSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { buildArtefact, localArch } from '../../artefacts/build.ts';
import { copyOut } from '../../artefacts/published.ts';
import { lokiProgram } from '../../artefacts/testing/loki.ts';
import { ensureImage } from '../../cli/sandbox/image/image.ts';
import { packageRoot } from '../../platform/assets.ts';
import { makeFolder } from '../../platform/folder.ts';
import { baseImage, didRegistryRespond, seededPrefix } from '../../sandbox-images/bases.ts';
import type { Task, TaskContext } from '../tasks/task.ts';
import { runtime } from './containers.ts';

async function buildCollector({ signal, log }: TaskContext): Promise<void> {
  const binary = await buildArtefact('collector', { signal, onProgress: log });
  const recipe = {
    tag: baseImage('collector'),
    dockerfile: join(packageRoot, 'sandbox-images/collector/Dockerfile'),
    artefacts: [binary],
    sources: [],
    arguments: { COLLECTOR: basename(binary) },
  };
  await ensureImage(recipe, await runtime(), { onLine: (line) => log(`${line}\n`), signal });
}

const collectorImage: Task = {
  name: 'image-collector',
  does: 'building the image of collector',
  needs: ['debian'],
  // Nothing to build when a registry has the image: the compose tool then pulls it.
  done: async () =>
    !baseImage('collector').startsWith(`${seededPrefix}/`) || (await runtime()).hasImage(baseImage('collector')),
  run: buildCollector,
  fix: 'fix the errors of Go above; if it cannot fetch modules, check GOPROXY. Then run the same command again',
  background: true,
};

/** Loki is under the AGPL, so nothing here compiles it. Without a program its tests are skipped. */
async function fetchLoki({ signal, log, announce }: TaskContext): Promise<void> {
  const [program, image] = [lokiProgram(), baseImage('loki')];
  const { LOKI_PROGRAM: given } = process.env;
  const unfinished = `${program}.${process.pid}`;
  makeFolder(dirname(program));
  if (given) copyFileSync(given, unfinished);
  else if (didRegistryRespond() === true || (await (await runtime()).hasImage(image)))
    await copyOut({ image, path: '/usr/bin/loki' }, { arch: localArch(), output: unfinished, signal, onText: log });
  else {
    announce(
      `${image} is neither here nor within reach: tests with Loki are skipped. LOKI_PROGRAM can name the program`,
    );
    return;
  }
  chmodSync(unfinished, 0o755);
  renameSync(unfinished, program);
}

const loki: Task = {
  name: 'loki',
  does: 'copying Loki from its image',
  needs: ['debian'],
  done: () => !process.env.LOKI_PROGRAM && existsSync(lokiProgram()),
  run: fetchLoki,
  fix: 'load the image, or name a program with LOKI_PROGRAM; then run the same command again',
  background: true,
};

export const stackImages: readonly Task[] = [collectorImage, loki];
