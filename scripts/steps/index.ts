/** All steps of the set-up. */
import type { Task } from '../tasks/task.ts';
import { artefactSteps } from './artefacts.ts';
import { debian, registry } from './bases.ts';
import { build } from './build.ts';
import { containers } from './containers.ts';
import { go } from './go.ts';
import { native } from './native.ts';
import { packages } from './packages.ts';
import { prune } from './prune.ts';
import { testImages } from './test-images.ts';

export const steps: readonly Task[] = [
  ...artefactSteps,
  packages,
  native,
  build,
  go,
  containers,
  registry,
  debian,
  ...testImages,
  prune,
];
