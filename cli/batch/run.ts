/** `guardcli test --paths`: evaluates one target per line while it reads. */
import { limits } from '../../contract/policy/limits.ts';
import { UsageError } from '../../platform/errors.ts';
import { expectationOf } from '../evaluate/evaluate.ts';
import { evaluatorFor } from '../evaluate/evaluator.ts';
import type { TestOptions } from '../evaluate/options.ts';
import { policyFor } from '../evaluate/policy.ts';
import { requestOf } from '../evaluate/request.ts';
import { bansOf } from '../input/bans.ts';
import { type Line, linesOf } from '../input/lines.ts';
import { refuseStdinTwice, stdinName, streamSource } from '../input/source.ts';
import type { Context } from '../program/context.ts';
import type { PathResult, PathsResult } from './result.ts';
import { Tally } from './tally.ts';

/**
 * Options that --paths refuses. A line of the list replaces the first three; --trace would print too much for each
 * line.
 */
const refusedOptions = [
  'path',
  'pathBase64',
  'query',
  'trace',
  'explainClient',
] as const satisfies readonly (keyof TestOptions)[];

function refuseConflicts(options: TestOptions): void {
  const other = refusedOptions.find((name) => options[name] !== undefined);
  const name = other?.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (name !== undefined) {
    const hint = 'each line of the list is a whole target; remove one of the two options';
    throw new UsageError(`--paths and ${name === 'path' ? 'a path' : `--${name}`} are both given`, {
      code: 'conflict',
      hint,
    });
  }
  refuseStdinTwice(
    [options.paths, options.config],
    'standard input can be the list or the policy: pass a file for the other',
  );
}

export async function* runPaths(options: TestOptions, context: Context): AsyncGenerator<PathResult[], PathsResult> {
  refuseConflicts(options);
  const { paths = stdinName, expect } = options;
  const request = { ...requestOf(options).request, ...(await bansOf(options.banList, context)) };
  const { policy, name: policyName } = await policyFor(options, context);
  const evaluate = await evaluatorFor(policy, options.proxy);
  const { method } = request;
  const tally = new Tally();
  const resultOf = ({ number, text, isCut }: Line): PathResult => {
    const finding = evaluate({ ...request, target: text });
    const result: PathResult = {
      line: number,
      request: { method, target: text },
      ...(isCut && { isCut }),
      ...(!text.startsWith('/') && { isNotTarget: true }),
      ...finding,
      ...expectationOf(finding.verdict, expect),
    };
    tally.add(result);
    return result;
  };
  for await (const lines of linesOf(streamSource(paths, context), limits.targetBytes)) {
    const full = lines.filter(({ text }) => text !== '');
    tally.emptyLines += lines.length - full.length;
    yield full.map(resultOf);
  }
  return tally.result(paths === stdinName ? '<stdin>' : paths, policyName, expect);
}
