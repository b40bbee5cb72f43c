import { limits } from '../../../contract/policy/limits.ts';
import { compile, type GuardRequest } from '../../../engine/index.ts';
import { linesOf } from '../../input/lines.ts';
import { readPolicy } from '../../input/policy.ts';
import { refuseStdinTwice, stdinName, streamSource } from '../../input/source.ts';
import type { Context } from '../../program/context.ts';
import { exampleRequests, methodsOf } from './examples.ts';
import { changedRules, changedSettings } from './policies.ts';
import type { Pair } from './representatives.ts';
import type { DiffResult } from './result.ts';
import { ChangeTally } from './tally.ts';

export interface DiffOptions {
  readonly old: string;
  readonly new: string;
  readonly paths?: string;
}

interface Row {
  readonly request: GuardRequest;
  readonly line?: number;
}

async function* listedRows(name: string, policies: Pair, context: Context): AsyncGenerator<Row[]> {
  const methods = methodsOf(policies);
  for await (const lines of linesOf(streamSource(name, context), limits.targetBytes))
    yield lines
      .filter(({ text }) => text !== '')
      .flatMap(({ text: target, number: line }) =>
        methods.map((method) => ({ request: { method, target, headers: [] }, line })),
      );
}

/** Compares two policies. @throws UsageError, ConfigError for an invalid policy or list */
export async function diffPolicies(options: DiffOptions, context: Context): Promise<DiffResult> {
  const { old: oldFile, new: newFile, paths } = options;
  refuseStdinTwice([oldFile, newFile, paths], 'pass files for all but one');
  const [old, fresh] = [await readPolicy(oldFile, context), await readPolicy(newFile, context)];
  const [before, after] = [compile(old.policy), compile(fresh.policy)];
  const policies: Pair = [old.policy, fresh.policy];
  const tally = new ChangeTally();
  const add = ({ request, line }: Row): void =>
    tally.add(request, line, before.evaluate(request), after.evaluate(request));
  if (paths === undefined) for (const request of exampleRequests(policies)) add({ request });
  else for await (const rows of listedRows(paths, policies, context)) rows.forEach(add);
  const changes = tally.changes();
  const [oldMode, newMode] = [old.policy.mode, fresh.policy.mode];
  const mode = oldMode !== newMode && { old: oldMode, new: newMode, requests: tally.blockedByBoth };
  const changed = changes.filter(({ isVerdict }) => isVerdict);
  return {
    ...{ old: old.name, new: fresh.name },
    settings: changedSettings(old.policy, fresh.policy),
    rules: changedRules(old.policy, fresh.policy),
    list: paths === undefined ? null : paths === stdinName ? '<stdin>' : paths,
    requests: tally.requests,
    ...(tally.notTargets && { notTargets: tally.notTargets }),
    changedVerdicts: changed.reduce((sum, { count }) => sum + count, 0),
    ...(mode && { mode }),
    changes,
  };
}
