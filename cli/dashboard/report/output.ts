import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../../../platform/errors.ts';
import { writing } from '../../../platform/writing.ts';
import { stdinName } from '../../input/source.ts';
import { statOf } from '../../input/stat.ts';
import type { Context } from '../../program/context.ts';

function fileIdentity(path: string): string | undefined {
  const stat = statOf(path);
  return stat?.isFile() ? `${stat.dev}:${stat.ino}` : undefined;
}

/** @throws UsageError when the page would overwrite one of the event files */
export function refuseOverwriting(output: string, files: readonly string[], { cwd }: Context): void {
  const wanted = fileIdentity(resolve(cwd, output));
  const isInput = (file: string) => file !== stdinName && fileIdentity(resolve(cwd, file)) === wanted;
  if (wanted === undefined || !files.some(isInput)) return;
  throw new UsageError(`${output} is one of the event files`, {
    code: 'conflict',
    hint: 'give the page another name with --output',
  });
}

export function writePage(output: string, page: string, { cwd }: Context): void {
  const refusal = { code: 'file_unwritable', hint: 'name a file in a folder that you can write to' };
  writing(output, refusal, () => writeFileSync(resolve(cwd, output), `${page}\n`));
}
