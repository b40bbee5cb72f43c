import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { FoundApplication } from '../../../logs/access/applications.ts';
import { UsageError } from '../../../platform/errors.ts';
import { makeFolder } from '../../../platform/folder.ts';
import { writing } from '../../../platform/writing.ts';
import type { Context } from '../../program/context.ts';
import { filesFor, type NewFile } from './files.ts';
import { applicationsIn } from './logs.ts';
import { type Answers, answersFor } from './questions.ts';

export interface InitOptions extends Partial<Answers> {
  readonly log?: readonly string[];
  readonly dir?: string;
  readonly yes?: true;
  readonly force?: true;
}

export interface InitResult {
  readonly answers: Answers;
  /** Applications of the logs, whose profiles are in the policy. */
  readonly applications: readonly FoundApplication[];
  /** Paths relative to the working directory, or absolute when --dir is absolute. */
  readonly written: readonly string[];
}

/**
 * Returns true when something exists at the path, even a dangling link. Returns false in an unreadable folder: writing
 * then reports the error.
 */
function isPresent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Refuses to overwrite files. @throws UsageError before anything is written */
function refuseExisting(files: readonly NewFile[], folder: string): void {
  const existing = files.filter(({ path }) => isPresent(join(folder, path))).map(({ path }) => path);
  if (existing.length === 0) return;
  throw new UsageError(
    `${existing.join(', ')} ${existing.length === 1 ? 'exists' : 'exist'} already; nothing is written`,
    {
      code: 'file_exists',
      hint: 'choose another folder with --dir, or overwrite with --force',
    },
  );
}

function writeNew({ path, text, mode }: NewFile, folder: string, isForced: boolean): void {
  const file = join(folder, path);
  const refusal = { code: 'file_unwritable', hint: 'choose a folder that you can write to with --dir' };
  writing(file, refusal, () => {
    makeFolder(dirname(file));
    if (isForced) rmSync(file, { force: true });
    writeFileSync(file, text, { flag: 'wx', mode });
  });
}

export async function init(options: InitOptions, context: Context): Promise<InitResult> {
  const { dir = '.', yes, force, log = [], ...given } = options;
  const folder = resolve(context.cwd, dir);
  const answers = await answersFor(given, yes !== true, context);
  const applications = await applicationsIn(log, context);
  const files = filesFor(answers, applications);
  if (!force) refuseExisting(files, folder);
  for (const file of files) writeNew(file, folder, force === true);
  return { answers, applications, written: files.map(({ path }) => join(dir, path)) };
}
