/** Writes a policy file. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { writing } from '../../../platform/writing.ts';
import { replaceFile as replaceText } from '../../input/replace-file.ts';
import type { Context } from '../../program/context.ts';

/**
 * Replaces the file atomically, with the same owner and permissions. `before` is the expected text, or undefined for no
 * file.
 * @throws UsageError when the file has another text, or cannot be written
 */
export function replaceFile(
  name: string,
  before: string | undefined,
  after: string,
  { cwd }: Pick<Context, 'cwd'>,
): void {
  const path = resolve(cwd, name);
  if (before !== undefined) {
    replaceText(path, Buffer.from(before), after);
    return;
  }
  const refusal = { code: 'file_unwritable', hint: 'check the permissions of the folder' };
  writing(path, refusal, () => writeFileSync(path, after, { flag: 'wx' }));
}
