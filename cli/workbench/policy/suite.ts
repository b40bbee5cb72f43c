/** Runs the cases again after each change of their files. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { GuardError } from '../../../platform/errors.ts';
import { watchFiles } from '../../../platform/file-changes.ts';
import { suiteFile } from '../../policy/init/ci.ts';
import type { Context } from '../../program/context.ts';
import { messageOf } from '../../program/report.ts';
import type { PolicyAction, SuiteRun } from './state.ts';

const pollMs = 500;

async function run(config: string | undefined, context: Context, touched: (path: string) => void): Promise<SuiteRun> {
  if (!existsSync(resolve(context.cwd, suiteFile))) return undefined;
  try {
    const [{ readSuite }, { runCases }] = await Promise.all([
      import('../../suite/read.ts'),
      import('../../suite/run.ts'),
    ]);
    const suite = await readSuite({ file: suiteFile, config }, context, touched);
    return await runCases(
      suite,
      { proxy: undefined, failFast: false, coverage: true, minCoverage: undefined },
      context,
    );
  } catch (error) {
    if (error instanceof GuardError) return messageOf(error);
    throw error;
  }
}

export async function watchSuite(
  config: string | undefined,
  context: Context,
  dispatch: (action: PolicyAction) => void,
): Promise<void> {
  const { signal, cwd } = context;
  while (!signal.aborted) {
    const files = watchFiles({ pollMs, ref: false });
    files.add(resolve(cwd, suiteFile));
    dispatch({ kind: 'policy.suite', suite: await run(config, context, files.add) });
    await files.changed(signal);
  }
}
