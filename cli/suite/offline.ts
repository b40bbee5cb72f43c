/** `guardcli test --suite`: runs a suite offline, once or after every change of its files. */
import { GuardError, UsageError } from '../../platform/errors.ts';
import { watchFiles } from '../../platform/file-changes.ts';
import type { TestOptions } from '../evaluate/options.ts';
import type { Context } from '../program/context.ts';
import { paintFor } from '../program/paint.ts';
import { errorText } from '../program/report.ts';
import { selectCases } from './only.ts';
import type { OfflineOptions } from './options.ts';
import { readSuite } from './read.ts';
import { reportText } from './reporters/index.ts';
import type { SuiteResult } from './result.ts';
import { runCases } from './run.ts';

type Options = TestOptions & OfflineOptions;

/** Milliseconds between two checks of the files. */
const pollMs = 200;

export interface SuiteStep {
  /** Absent when the suite did not run, for example because a file is invalid. */
  readonly result?: SuiteResult;
  readonly text: string;
}

/** Options of a single request, which the cases replace. */
const requestFlags = {
  path: 'a path',
  pathBase64: '--path-base64',
  paths: '--paths',
  query: '--query',
  body: '--body',
  method: '--method',
  m: '-m',
  header: '--header',
  ip: '--ip',
  expect: '--expect',
  trace: '--trace',
  checkQuery: '--check-query',
  checkBody: '--check-body',
} as const satisfies Partial<Record<keyof TestOptions, string>>;

function refuseConflicts(options: Options): void {
  const key = (Object.keys(requestFlags) as (keyof typeof requestFlags)[]).find((name) => options[name] !== undefined);
  if (key !== undefined) {
    throw new UsageError(`--suite and ${requestFlags[key]} are both given`, {
      code: 'conflict',
      hint: 'the suite and its policies say what is evaluated; remove one of the two',
    });
  }
  if (options.watch && [options.suite, options.config].includes('-')) {
    const hint = 'pass files, which can change';
    throw new UsageError('--watch cannot read standard input', { code: 'conflict', hint });
  }
}

async function runOnce(options: Options, context: Context, touched?: (path: string) => void): Promise<SuiteResult> {
  const { suite = '', config, only, proxy, failFast, coverage, minCoverage } = options;
  const loaded = await readSuite({ file: suite, config }, context, touched);
  return runCases(
    selectCases(loaded, only),
    { proxy, failFast: failFast === true, coverage: coverage === true, minCoverage },
    context,
  );
}

async function* watchSuite(options: Options, context: Context): AsyncGenerator<SuiteStep, SuiteResult> {
  const paint = paintFor(context.stdout, context.env);
  for (;;) {
    const files = watchFiles({ pollMs, ref: true });
    try {
      const result = await runOnce(options, context, files.add);
      yield { result, text: reportText(options.reporter ?? 'text', result, paint) };
    } catch (error) {
      if (!(error instanceof GuardError)) throw error;
      yield { text: errorText(error, paint) };
    }
    await files.changed(context.signal);
  }
}

export async function* runSuiteFile(options: Options, context: Context): AsyncGenerator<SuiteStep, SuiteResult> {
  refuseConflicts(options);
  return options.watch ? yield* watchSuite(options, context) : runOnce(options, context);
}
