/** Builds a program in a temporary folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findGo } from '../../artefacts/build.ts';
import { environmentFor, type Platform } from '../../artefacts/go.ts';
import { packageRoot } from '../../platform/assets.ts';
import { ExternalError } from '../../platform/errors.ts';
import { writing } from '../../platform/writing.ts';
import { type BuildEnvironment, runStep } from './run.ts';
import { type ProgramSpec, type Step, stepsOf, withoutWebInterface } from './steps.ts';

export interface BuildObserver {
  readonly signal: AbortSignal;
  readonly onStep: (title: string) => void;
  readonly onText: (text: string) => void;
  /** Receives why the web interface cannot be built. The program is then built without it. */
  readonly onOmitted: (error: ExternalError) => void;
}

/** A built program. The folder also contains its licenses. */
export interface BuiltProgram {
  readonly folder: string;
  /** Id of the compiler. */
  readonly go: string;
  readonly hasWebInterface: boolean;
}

const refusal = { code: 'no_scratch', hint: 'set TMPDIR to a folder that can be written' };

export const titlesOf = (spec: ProgramSpec): readonly string[] => stepsOf(spec, packageRoot).map(({ title }) => title);

/**
 * Runs a step. Not every npm registry has the packages of the web interface, which is built before the minutes of the
 * compiler: without them, removes its files. Returns false then.
 */
async function runOrOmit(
  step: Step,
  spec: ProgramSpec,
  environment: BuildEnvironment,
  onOmitted: BuildObserver['onOmitted'],
): Promise<boolean> {
  try {
    await runStep(step, spec, environment);
    return true;
  } catch (error) {
    if (!(error instanceof ExternalError) || error.code !== 'no_webui') throw error;
    environment.signal.throwIfAborted();
    onOmitted(error);
    await runStep({ ...step, ...withoutWebInterface }, spec, environment);
    return false;
  }
}

/** Builds the program, passes it to `use`, and then removes its folder. @throws GuardError */
export async function makeProgram<T>(
  spec: ProgramSpec,
  platform: Platform,
  { onStep, onOmitted, ...observer }: BuildObserver,
  use: (program: BuiltProgram) => Promise<T>,
): Promise<T> {
  const go = await findGo();
  const folder = writing('a scratch folder', refusal, () => mkdtempSync(join(tmpdir(), 'guard-build-')));
  try {
    const environment = { ...observer, folder, go, env: environmentFor(platform) };
    let { hasWebInterface } = spec;
    for (const step of stepsOf(spec, packageRoot)) {
      onStep(step.title);
      if (!(await runOrOmit(step, spec, environment, onOmitted))) hasWebInterface = false;
    }
    return await use({ folder, go: go.id, hasWebInterface });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
