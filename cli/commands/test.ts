import { exitCodes, UsageError } from '../../platform/errors.ts';
import type { LogLineResult, LogResult } from '../batch/logs/result.ts';
import type { LogOptions } from '../batch/logs/run.ts';
import { logLineText, logText } from '../batch/logs/text.ts';
import type { PathResult, PathsResult } from '../batch/result.ts';
import { pathsNotes, pathsText } from '../batch/text.ts';
import { evaluateRequest } from '../evaluate/evaluate.ts';
import { configureTest, type TestOptions } from '../evaluate/options.ts';
import { policyFor } from '../evaluate/policy.ts';
import { requestOf } from '../evaluate/request.ts';
import type { TestResult } from '../evaluate/result.ts';
import { testText } from '../evaluate/text.ts';
import { command, type Mode } from '../program/command.ts';
import type { Context } from '../program/context.ts';
import type { Paint } from '../program/paint.ts';
import type { SuiteStep } from '../suite/offline.ts';
import { configureOffline, type OfflineOptions, refuseTwoForms, refuseWithoutSuite } from '../suite/options.ts';
import type { SuiteResult } from '../suite/result.ts';

type Options = TestOptions & OfflineOptions;
type Result = TestResult | PathsResult | SuiteResult | LogResult;
type Progress = PathResult[] | LogLineResult[] | SuiteStep;

const isList = (result: Result): result is PathsResult => 'list' in result;
const isSuite = (result: Result): result is SuiteResult => 'suite' in result;
const isLog = (result: Result): result is LogResult => 'log' in result;
const isSteps = (progress: Progress): progress is PathResult[] | LogLineResult[] => Array.isArray(progress);
const isLogStep = (steps: PathResult[] | LogLineResult[]): steps is LogLineResult[] =>
  steps[0] !== undefined && 'row' in steps[0];

/** Imports the reader of ban lists only with --ban-list. */
async function bansOf({ banList }: Options, context: Context) {
  return banList === undefined ? {} : (await import('../input/bans.ts')).bansOf(banList, context);
}

async function runOne(options: Options, context: Context): Promise<TestResult> {
  const { request, notes } = requestOf(options);
  const { policy, name } = await policyFor(options, context);
  const { proxy, expect, trace, explainClient } = options;
  return evaluateRequest({
    policy,
    policyName: name,
    request: { ...request, ...(await bansOf(options, context)) },
    proxy,
    expect,
    isTraced: trace === true,
    explainsClient: explainClient === true,
    notes: notes(policy),
  });
}

/** Imports the code for lists only with --paths. */
async function* runList(options: Options, context: Context): AsyncGenerator<PathResult[], PathsResult> {
  const { runPaths } = await import('../batch/run.ts');
  return yield* runPaths(options, context);
}

async function* runSuite(options: Options, context: Context): AsyncGenerator<SuiteStep, SuiteResult> {
  const { runSuiteFile } = await import('../suite/offline.ts');
  return yield* runSuiteFile(options, context);
}

async function* runLogLines(options: LogOptions, context: Context): AsyncGenerator<LogLineResult[], LogResult> {
  const { runLog } = await import('../batch/logs/run.ts');
  return yield* runLog(options, context);
}

/** Options of the form for logs. Those of the other forms evaluate a request. @throws UsageError */
function refuseMixedLog({ log, format, formats, json: _, ...others }: Options & { readonly json?: boolean }): void {
  const mixed = log === undefined ? { format, formats } : others;
  const [name] = Object.entries(mixed).find(([, value]) => value !== undefined) ?? [];
  if (name === undefined) return;
  const message = log === undefined ? `--${name} needs --log` : `--log and ${name} are mutually exclusive`;
  throw new UsageError(message, { code: 'conflict' });
}

async function suiteReport(result: SuiteResult, paint: Paint, { reporter = 'text' }: Options): Promise<string> {
  return (await import('../suite/reporters/index.ts')).reportText(reporter, result, paint);
}

function run(options: Options, context: Context, mode: Mode) {
  refuseMixedLog(options);
  if (options.log !== undefined) return runLogLines({ ...options, log: options.log }, context);
  refuseWithoutSuite(options);
  refuseTwoForms(options, mode);
  if (options.suite !== undefined) return runSuite(options, context);
  return options.paths === undefined ? runOne(options, context) : runList(options, context);
}

function statusOf(result: Result): number {
  if (isLog(result)) return exitCodes.done;
  const isMet = isSuite(result) ? result.ok : result.expected?.met !== false;
  return isMet ? exitCodes.done : exitCodes.negative;
}

export const definition = command<Options, Result, Progress>({
  description:
    'Evaluates a request without a proxy. Prints the decoded readings (candidates) of each inspected part, ' +
    'then BLOCKED with status, reason, target, rule and pattern, or ALLOWED with the reason.\n\n' +
    'With --paths it evaluates a list and prints counts; with --json it prints one line per target. With --suite it ' +
    'runs the cases of a file, and exits 1 if one fails.\n\n' +
    'With --log it shows which row of a log format reads each line, and what counts for tcp-guard; with --json it prints ' +
    'one line for each.\n\n' +
    'Without a policy file the defaults apply and the query is inspected. A verdict is not an error: the status is 0 unless ' +
    '--expect disagrees. A request that the proxy itself refuses counts as blocked.',
  examples: [
    { line: "guardcli test '/static/..%252f.env'", note: 'quotes protect it from the shell' },
    { line: "guardcli test /download -q 'file=../../etc/passwd'", note: 'the query is inspected too' },
    { line: "guardcli test / -H 'X-Original-URL: /.env' -c guard.json", note: 'a header that guard.json inspects' },
    { line: 'guardcli test /robots.txt --ip 192.0.2.7 --expect allowed', note: 'exits 1 if it is blocked' },
    { line: 'guardcli test --paths links.txt --expect allowed', note: 'a list: exits 1 if any is blocked' },
    { line: 'guardcli test --suite cases.yaml --coverage', note: 'the tests of a policy, and which rules they show' },
    { line: 'guardcli test --log /var/log/auth.log --format sshd', note: 'what counts as a failed login in a log' },
    {
      line: "guardcli test / --ip 10.0.0.1 -H 'X-Forwarded-For: 192.0.2.7' --explain-client",
      note: 'which address is the client, and why',
    },
    {
      line: 'guardcli test / --client 192.0.2.7 --ban-list /var/lib/guard-bans/bans',
      note: 'whether a guard refuses a banned client',
    },
    {
      line: "guardcli test '/a/../.env' --proxy caddy --trace",
      note: 'as the guard in Caddy sees it, with every match',
    },
  ],
  configure: (parser) => configureOffline(configureTest(parser)),
  run,
  text: (result, paint, options) => {
    if (isSuite(result)) return suiteReport(result, paint, options);
    if (isLog(result)) return logText(result, paint);
    return isList(result) ? pathsText(result, paint) : testText(result, paint);
  },
  notes: (result, paint) => {
    if (isSuite(result) || isLog(result)) return '';
    return isList(result) ? pathsNotes(result, paint) : result.notes.map((note) => `note: ${note}`).join('\n');
  },
  lines: (progress) => {
    if (!isSteps(progress)) return { stdout: progress.text };
    return isLogStep(progress) ? { stdout: progress.map(logLineText).join('\n') } : {};
  },
  isStream: ({ paths, log, watch }) => paths !== undefined || log !== undefined || watch === true,
  items: (progress) => (isSteps(progress) ? progress : [progress.result ?? { error: progress.text }]),
  exitCode: statusOf,
});
