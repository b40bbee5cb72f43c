/** Puts the program and the licenses where the user wants them. */
import { createHash } from 'node:crypto';
import { accessSync, chmodSync, constants, copyFileSync, createReadStream, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../../platform/errors.ts';
import { replaceFileSync } from '../../platform/regular-file.ts';
import { writing } from '../../platform/writing.ts';
import { licensesFile } from './steps.ts';

const refusal = { code: 'file_unwritable', hint: 'name a file in a folder that you can write to with --output' };

/** Checks the path before the build, which takes minutes. @throws UsageError */
export function checkOutput(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${path} is a folder`, { ...refusal, hint: 'name the file with --output' });
  writing(path, refusal, () => accessSync(dirname(path), constants.W_OK));
}

/** Replaces a file by a rename, because the old program may be running. */
const replaceByRename = (path: string, write: (unfinished: string) => void): void =>
  writing(path, refusal, () => replaceFileSync(path, write));

export const licensesPath = (path: string): string => `${path}.${licensesFile}`;

export function placeProgram(folder: string, name: string, path: string): void {
  replaceByRename(path, (unfinished) => {
    copyFileSync(join(folder, name), unfinished, constants.COPYFILE_FICLONE);
    chmodSync(unfinished, 0o755);
  });
  replaceByRename(licensesPath(path), (unfinished) => copyFileSync(join(folder, licensesFile), unfinished));
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}
