/** Reads the policy file again after it is written, replaced, deleted or created. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { warningsOf } from '../../../engine/warnings.ts';
import { UsageError } from '../../../platform/errors.ts';
import { watchFiles } from '../../../platform/file-changes.ts';
import { policyFor } from '../../evaluate/policy.ts';
import { loadJsonOrYaml } from '../../input/policy.ts';
import { defaultFile, hasDefaultFile, readSource } from '../../input/source.ts';
import type { Context } from '../../program/context.ts';
import type { Action } from '../state.ts';
import { initialPolicy, type PolicyAction, type PolicyFileState, type PolicyState } from './state.ts';
import { watchSuite } from './suite.ts';

const pollMs = 100;

type Read = Omit<Extract<PolicyAction, { kind: 'policy.read' }>, 'kind'>;

const noFile: PolicyFileState = { name: null, problems: [], omitted: 0, warnings: [], text: '', unreadable: undefined };

/** Whether a path is a pipe or a device. Reading one could take forever, and no change of it would be seen. */
function isEndless(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && !stat.isFile() && !stat.isDirectory();
}

/** Reads the policy file. The result for a missing file has `unreadable`, that for a half-written one has problems. */
async function readOnce(file: string, context: Context): Promise<Read> {
  const none = { ...noFile, name: file };
  if (isEndless(resolve(context.cwd, file)))
    return { file: { ...none, unreadable: `cannot read ${file}: not a regular file` }, policy: undefined };
  try {
    const { bytes } = await readSource(file, context);
    const text = Buffer.from(bytes).toString('utf8');
    const loaded = await loadJsonOrYaml(bytes, file);
    if (loaded.ok) return { file: { ...none, text, warnings: warningsOf(loaded) }, policy: loaded.value };
    return { file: { ...none, text, problems: loaded.problems, omitted: loaded.omitted }, policy: undefined };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { file: { ...none, unreadable: error.message }, policy: undefined };
  }
}

export interface WatchedPolicy {
  readonly initial: PolicyState;
  readonly start: (dispatch: (action: Action) => void) => void;
  readonly close: () => void;
}

/** Reads the policy file for the first time. Without the file, the default policy applies until it exists. */
async function readFirst(file: string, isFile: boolean, context: Context): Promise<PolicyState> {
  const first = isFile ? await readOnce(file, context) : { file: noFile, policy: undefined };
  // `policyFor` returns the defaults for a folder without a policy file, such as `/`.
  const policy = first.policy ?? (await policyFor({}, { ...context, cwd: '/' })).policy;
  return initialPolicy(policy, first.file);
}

export async function watchPolicy(config: string | undefined, context: Context): Promise<WatchedPolicy> {
  const file = config ?? defaultFile;
  const path = resolve(context.cwd, file);
  const files = watchFiles({ pollMs, ref: false });
  const end = new AbortController();
  const start = (dispatch: (action: Action) => void): void => {
    const read = async () => dispatch({ kind: 'policy.read', ...(await readOnce(file, context)) });
    files.follow(read, end.signal).catch(() => {});
    const signal = AbortSignal.any([end.signal, context.signal]);
    watchSuite(config, { ...context, signal }, dispatch).catch(() => {});
  };
  files.add(path);
  const initial = await readFirst(file, config !== undefined || hasDefaultFile(context), context);
  return { initial, start, close: () => end.abort() };
}
