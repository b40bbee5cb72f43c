import { goSteps } from './steps/artefacts.ts';
import { build } from './steps/build.ts';
import { containers } from './steps/containers.ts';
import { debianReleases } from './steps/debian.ts';
import { native } from './steps/native.ts';
import { pruneTask } from './steps/prune.ts';
import { stackImages } from './steps/stack-images.ts';
import { testImages } from './steps/test-images.ts';
import { checkSuites } from './suites/check.ts';
import { fullSuites } from './suites/full.ts';
import type { Suite } from './suites/suite.ts';
import { testSuites } from './suites/test.ts';
import type { Task } from './tasks/task.ts';

const namesOf = (rows: readonly Task[]): string[] => rows.map(({ name }) => name);

/** All suites. Of those that can start, an earlier one gets a lane first. */
export const suites: readonly Suite[] = [...checkSuites, ...testSuites, ...fullSuites];
const steps: readonly Task[] = [
  native,
  build,
  containers,
  ...debianReleases,
  ...goSteps,
  ...stackImages,
  ...testImages,
];
/** Every task. Each one comes after the tasks that it needs. */
export const tasks: readonly Task[] = [...steps, ...suites, pruneTask(namesOf(suites))];

const images = ['traefik', 'caddy', 'runner', 'debian'];

export const jobs: Readonly<Record<string, readonly string[]>> = {
  cli: ['native', 'build'],
  demo: ['native', 'build', 'caddy', 'runner', 'containers'],
  proxies: ['native', 'build', 'containers', ...images],
  bench: ['native', 'build', 'containers', ...images, 'traefik-compiled', 'image-full', 'image-relay', 'image-tools'],
  /** The collector is compiled for machines where no image registry responds. */
  stack: ['native', 'build', 'image-collector', 'compose'],
  pictures: ['native', 'build', 'image-full'],
  check: namesOf(checkSuites),
  test: [...namesOf(checkSuites), ...namesOf(testSuites), 'prune'],
  full: [...namesOf(fullSuites), 'prune'],
};
