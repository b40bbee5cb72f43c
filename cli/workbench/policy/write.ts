import { unlinkSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { writing } from '../../../platform/writing.ts';
import { refuseChanged, replaceFile as replaceText } from '../../input/replace-file.ts';
import type { Context } from '../../program/context.ts';

/** A change of a policy file. A text is undefined when there is no file. */
export interface FileChange {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export const reverseChange = ({ name, before, after }: FileChange): FileChange => ({
  name,
  before: after,
  after: before,
});

/** Writes a change. Keeps owner and permissions. @throws UsageError when the file has another text than `before` */
export function changeFile({ name, before, after }: FileChange, { cwd }: Pick<Context, 'cwd'>): void {
  const path = resolve(cwd, name);
  if (before !== undefined && after !== undefined) {
    replaceText(path, Buffer.from(before), after);
    return;
  }
  const refusal = { code: 'file_unwritable', hint: 'check the permissions of the folder' };
  writing(path, refusal, () => {
    if (after !== undefined) return writeFileSync(path, after, { flag: 'wx' });
    refuseChanged(path, Buffer.from(before ?? ''));
    unlinkSync(path);
  });
}
