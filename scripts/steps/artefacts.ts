/** Steps that compile Go: one per artefact that a sandbox image or a test needs. */
import { type ArtefactName, artefacts, oldestGo } from '../../artefacts/artefacts.ts';
import { buildArtefact, isBuilt } from '../../artefacts/build.ts';
import { findLocalGo } from '../../artefacts/go.ts';
import { type Task, Unavailable } from '../tasks/task.ts';

/**
 * Tests with sandboxes take longest, so their artefacts come before CrowdSec. Artefacts with common packages wait for
 * each other, so that the common packages are compiled once: the library of Go that the runner needs, and Caddy too,
 * takes 40 seconds of processor time. Traefik waits for `debian`, which finds out whether a registry responds: the
 * program is then copied from an image.
 */
const earlierTasks: Partial<Record<ArtefactName, readonly string[]>> = {
  runner: ['caddy'],
  'http-client': ['caddy'],
  traefik: ['debian'],
  crowdsec: ['caddy', 'traefik'],
  cscli: ['crowdsec'],
};

const goFix = 'fix the errors of Go above; if it cannot fetch modules, check GOPROXY. Then run the same command again';

const step = (name: ArtefactName): Task => ({
  name,
  does: `compiling ${artefacts[name].source} (minutes the first time)`,
  after: earlierTasks[name] ?? [],
  done: () => isBuilt(name),
  run: ({ signal, log }) => buildArtefact(name, { signal, onProgress: log }),
  fix: goFix,
  background: true,
});

/** Go on this machine. Go tools such as gofmt need it; artefacts can also be compiled in a container. */
const go: Task = {
  name: 'go',
  does: 'looking for Go',
  done: async () => (await findLocalGo()) !== undefined,
  run: () => Promise.reject(new Unavailable(`Go ${oldestGo} or newer is not installed`)),
  fix: `install Go ${oldestGo} or newer, then run the same command again`,
};

/** Imports late, because the other steps do not need the code of guardcli. */
const importCompiledTraefik = () => import('../../cli/build/cached.ts');

/** Traefik with the guard in it, which no image of a registry has. */
const compiledTraefikTask: Task = {
  name: 'traefik-compiled',
  does: 'compiling Traefik with the guard in it (minutes the first time)',
  after: ['traefik'],
  done: async () => (await importCompiledTraefik()).isCompiledTraefikBuilt(),
  run: async ({ signal, log }) => (await importCompiledTraefik()).compiledTraefik({ signal, onProgress: log }),
  fix: goFix,
  background: true,
};

const artefactSteps = (Object.keys(artefacts) as ArtefactName[]).map(step);

export const goSteps: readonly Task[] = [go, ...artefactSteps, compiledTraefikTask];
