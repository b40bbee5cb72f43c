/** Reads the policy file, and reads it again when it changes: when it is written, replaced, deleted or created. */
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { loadPolicy } from '../../../contract/load/policy.ts';
import { UsageError } from '../../../platform/errors.ts';
import { policyFor } from '../../evaluate/policy.ts';
import { defaultFile, hasDefaultFile, readSource } from '../../input/source.ts';
import type { Context } from '../../program/context.ts';
import type { Action } from '../state.ts';
import { initialPolicy, type PolicyAction, type PolicyFileState, type PolicyState } from './state.ts';

/** Editors write a file in several steps. It is read when it was quiet for this long. */
const quietMs = 60;

type Read = Omit<Extract<PolicyAction, { kind: 'policy.read' }>, 'kind'>;

const noFile: PolicyFileState = { name: null, problems: [], omitted: 0, warnings: [], text: '', unreadable: undefined };

/** A file that is missing or half-written is reported, and read again at the next change. */
async function readOnce(file: string, context: Context): Promise<Read> {
  const none = { ...noFile, name: file };
  try {
    const { bytes } = await readSource(file, context);
    const text = Buffer.from(bytes).toString('utf8');
    const loaded = loadPolicy(bytes, file);
    if (loaded.ok) return { file: { ...none, text, warnings: loaded.warnings }, policy: loaded.value };
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

/** Without a file of this name, the defaults apply until there is one. */
export async function watchPolicy(config: string | undefined, context: Context): Promise<WatchedPolicy> {
  const file = config ?? defaultFile;
  const isFile = config !== undefined || hasDefaultFile(context);
  const first = isFile ? await readOnce(file, context) : { file: noFile, policy: undefined };
  // Without --config and without the file, `policyFor` gives the defaults.
  const policy = first.policy ?? (await policyFor({}, { ...context, cwd: '/' })).policy;
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;
  const start = (dispatch: (action: Action) => void): void => {
    const path = resolve(context.cwd, file);
    const read = (): void => {
      readOnce(file, context).then(
        (result) => dispatch({ kind: 'policy.read', ...result }),
        () => {},
      );
    };
    // The folder is watched, because a replaced file is another file.
    watcher = watch(dirname(path), (_event, name) => {
      if (name !== null && name !== basename(path)) return;
      clearTimeout(timer);
      timer = setTimeout(read, quietMs);
    });
    watcher.on('error', () => {});
  };
  const close = (): void => {
    clearTimeout(timer);
    watcher?.close();
  };
  return { initial: initialPolicy(policy, first.file), start, close };
}
