/** One step per Go artefact that a sandbox image holds, or a test needs. */

import { lastLines } from '../../platform/command.ts';
import { type ArtefactName, artefacts } from '../../sandbox-images/artefacts.ts';
import { buildArtefact, isBuilt } from '../../sandbox-images/build.ts';
import type { Task } from '../graph/task.ts';

/** What must be there first: a C compiler, and packages that both have in common, so that they are compiled once. */
const needs: Partial<Record<ArtefactName, readonly string[]>> = { crowdsec: ['compiler'], cscli: ['crowdsec'] };

/** The tests with sandboxes take longest, so what they need comes first: nothing is won by compiling everything at once. */
const after: Partial<Record<ArtefactName, readonly string[]>> = { crowdsec: ['caddy', 'traefik'] };

const step = (name: ArtefactName): Task => ({
  name,
  does: `compiling ${artefacts[name].source}`,
  needs: needs[name] ?? [],
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
  mend: 'mend what Go names above; if it cannot fetch modules, look at GOPROXY. Then run the same command again',
  background: true,
});

export const artefactSteps: readonly Task[] = (Object.keys(artefacts) as ArtefactName[]).map(step);
