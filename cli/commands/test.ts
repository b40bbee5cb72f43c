/** `guardcli test [path]` */

import { exitCodes } from '../../platform/errors.ts';
import type { PathResult, PathsResult } from '../batch/result.ts';
import { pathsNotes, pathsText } from '../batch/text.ts';
import { answer } from '../evaluate/evaluate.ts';
import { configureTest, type TestOptions } from '../evaluate/options.ts';
import { policyFor } from '../evaluate/policy.ts';
import { requestOf } from '../evaluate/request.ts';
import type { TestResult } from '../evaluate/result.ts';
import { testText } from '../evaluate/text.ts';
import { command } from '../program/command.ts';
import type { Context } from '../program/context.ts';

type Result = TestResult | PathsResult;

const isList = (result: Result): result is PathsResult => 'list' in result;

async function runOne(options: TestOptions, context: Context): Promise<TestResult> {
  const { request, notes } = requestOf(options);
  const { policy, name } = await policyFor(options, context);
  const { proxy, expect, trace } = options;
  return answer({ policy, policyName: name, request, proxy, expect, isTraced: trace === true, notes });
}

/** Loads the code for lists only with --paths. */
async function* runList(options: TestOptions, context: Context): AsyncGenerator<PathResult[], PathsResult> {
  const { runPaths } = await import('../batch/run.ts');
  return yield* runPaths(options, context);
}

export const testCommand = command<TestOptions, Result, PathResult[]>({
  description:
    'Evaluates a request without a proxy. Prints the decoded readings (candidates) of each inspected part, ' +
    'then BLOCKED with status, reason, target, rule and pattern, or ALLOWED with the reason.\n\n' +
    'With --paths it evaluates a list and prints counts; with --json it prints one line per target.\n\n' +
    'Without a policy file the defaults apply and the query is inspected. A verdict is not an error: the status is 0 unless ' +
    '--expect disagrees. A request that the proxy itself refuses counts as blocked.',
  examples: [
    { line: "guardcli test '/static/..%252f.env'", note: 'quotes protect it from the shell' },
    { line: "guardcli test /download -q 'file=../../etc/passwd'", note: 'the query is inspected too' },
    { line: "guardcli test / -H 'X-Original-URL: /.env' -c guard.json", note: 'a header that guard.json inspects' },
    { line: 'guardcli test /robots.txt --ip 192.0.2.7 --expect allowed', note: 'exits 1 if it is blocked' },
    { line: 'guardcli test --paths links.txt --expect allowed', note: 'a list: exits 1 if any is blocked' },
    {
      line: "guardcli test '/a/../.env' --proxy caddy --trace",
      note: 'as the guard in Caddy sees it, with every match',
    },
  ],
  configure: configureTest,
  run: (options, context) => (options.paths === undefined ? runOne(options, context) : runList(options, context)),
  text: (result, paint) => (isList(result) ? pathsText(result, paint) : testText(result, paint)),
  notes: (result, paint) =>
    isList(result) ? pathsNotes(result, paint) : result.notes.map((note) => `note: ${note}`).join('\n'),
  isStream: ({ paths }) => paths !== undefined,
  exitCode: ({ expected }) => (expected && !expected.met ? exitCodes.negative : exitCodes.done),
});
