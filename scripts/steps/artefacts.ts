/** One step per Go artefact that a sandbox image or a test needs. */

import { lastLines } from '../../platform/command.ts';
import { type ArtefactName, artefacts } from '../../sandbox-images/artefacts.ts';
import { buildArtefact, isBuilt } from '../../sandbox-images/build.ts';
import type { Task } from '../tasks/task.ts';

/** Orders artefacts with common packages, so that those are compiled once. */
const needs: Partial<Record<ArtefactName, readonly string[]>> = { cscli: ['packages', 'crowdsec'] };

/**
 * Tests with sandboxes take longest, so their artefacts come first. Traefik is compiled only when no image registry
 * responds.
 */
const after: Partial<Record<ArtefactName, readonly string[]>> = {
  traefik: ['registry'],
  crowdsec: ['caddy', 'traefik'],
};

const step = (name: ArtefactName): Task => ({
  name,
  does: `compiling ${artefacts[name].source}`,
  needs: needs[name] ?? ['packages'],
  after: after[name] ?? [],
  done: () => isBuilt(name),
  run: async ({ signal, say, log }) => {
    const onProgress = (text: string): void => {
      log(text);
      say(lastLines(text, 1));
    };
    await buildArtefact(name, { signal, onProgress });
    return undefined;
  },
  fix: 'fix the errors of Go above; if it cannot fetch modules, check GOPROXY. Then run the same command again',
  background: true,
});

export const artefactSteps: readonly Task[] = (Object.keys(artefacts) as ArtefactName[]).map(step);
