/** Flags of suites, which several commands share. */

import type { Command as Parser } from 'commander';
import { UsageError } from '../../platform/errors.ts';
import { collectValues } from '../evaluate/options.ts';
import type { Mode } from '../program/command.ts';

/** Names of reporters. Their code is imported with the suite. */
const reporterNames = ['text', 'json', 'junit', 'github', 'tap'] as const;
type ReporterName = (typeof reporterNames)[number];

export interface SuiteOptions {
  readonly suite?: string;
  readonly reporter?: ReporterName;
  readonly only?: readonly string[];
}

export interface OfflineOptions extends SuiteOptions {
  readonly coverage?: true;
  readonly minCoverage?: number;
  readonly watch?: true;
  readonly failFast?: true;
}

export function configureSuite(parser: Parser): Parser {
  return parser
    .option('--suite <file>', 'run the cases of a suite file; - reads standard input')
    .addOption(parser.createOption('--reporter <name>', 'form of the report (default: text)').choices(reporterNames))
    .option('--only <text>', 'run only cases with this text in their name; may be repeated', collectValues);
}

function percentageFrom(text: string): number {
  const value = Number(text);
  if (/^\d{1,3}$/.test(text) && value <= 100) return value;
  const hint = 'pass a whole number of percent from 0 to 100';
  throw new UsageError(`--min-coverage is ${JSON.stringify(text)}`, { code: 'bad_coverage', hint });
}

export function configureOffline(parser: Parser): Parser {
  return configureSuite(parser)
    .option('--coverage', 'report which rules the cases show')
    .addOption(
      parser
        .createOption('--min-coverage <percent>', 'exit 1 if the cases show a smaller part of the rules')
        .argParser(percentageFrom),
    )
    .option('--watch', 'run the suite again when one of its files changes')
    .option('--fail-fast', 'stop after the first case that fails');
}

const suiteFlags = {
  reporter: '--reporter',
  only: '--only',
  coverage: '--coverage',
  minCoverage: '--min-coverage',
  watch: '--watch',
  failFast: '--fail-fast',
} as const satisfies Partial<Record<keyof OfflineOptions, string>>;

/** @throws UsageError when --json and a reporter for another form are given */
export function refuseTwoForms({ reporter }: SuiteOptions, mode: Mode): void {
  if (mode !== 'json' || reporter === undefined || reporter === 'json') return;
  throw new UsageError(`--json and --reporter ${reporter} are mutually exclusive`, {
    code: 'conflict',
    hint: 'omit --json: --reporter selects the form of the report',
  });
}

/** @throws UsageError when a flag needs a suite */
export function refuseWithoutSuite(options: OfflineOptions): void {
  if (options.suite !== undefined) return;
  const keys = Object.keys(suiteFlags) as (keyof typeof suiteFlags)[];
  const givenOption = keys.find((key) => options[key] !== undefined);
  if (givenOption === undefined) return;
  throw new UsageError(`${suiteFlags[givenOption]} needs --suite`, {
    code: 'conflict',
    hint: 'pass the file with the cases',
  });
}
