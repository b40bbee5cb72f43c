/** Builds a program in a temporary folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findGo } from '../../artefacts/build.ts';
import { environmentFor, type Platform } from '../../artefacts/go.ts';
import { packageRoot } from '../../platform/assets.ts';
import { writing } from '../../platform/writing.ts';
import { runStep } from './run.ts';
import { type ProgramSpec, stepsOf } from './steps.ts';

export interface BuildObserver {
  readonly signal: AbortSignal;
  readonly onStep: (title: string) => void;
  readonly onText: (text: string) => void;
}

/** A built program. The folder also contains its licenses. */
export interface BuiltProgram {
  readonly folder: string;
  /** Id of the compiler. */
  readonly go: string;
}

const refusal = { code: 'no_scratch', hint: 'set TMPDIR to a folder that can be written' };

export const titlesOf = (spec: ProgramSpec): readonly string[] => stepsOf(spec, packageRoot).map(({ title }) => title);

/** Builds the program, passes it to `use`, and then removes its folder. @throws GuardError */
export async function makeProgram<T>(
  spec: ProgramSpec,
  platform: Platform,
  { onStep, ...observer }: BuildObserver,
  use: (program: BuiltProgram) => Promise<T>,
): Promise<T> {
  const go = await findGo();
  const folder = writing('a scratch folder', refusal, () => mkdtempSync(join(tmpdir(), 'guard-build-')));
  try {
    const environment = { ...observer, folder, go, env: environmentFor(platform) };
    for (const step of stepsOf(spec, packageRoot)) {
      onStep(step.title);
      await runStep(step, spec, environment);
    }
    return await use({ folder, go: go.id });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
