/** Replaces a file atomically, and only if it still has the content that was read. */
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { UsageError } from '../../platform/errors.ts';
import { readRegularSync } from '../../platform/regular-file.ts';
import { writing } from '../../platform/writing.ts';

const refusal = { code: 'file_unwritable', hint: 'check the permissions of the file and its folder' };

/** @throws UsageError when the file differs from the content that was read, or is a pipe or a device */
export function refuseChanged(path: string, before: Uint8Array): void {
  const stat = statSync(path);
  if (!stat.isFile())
    throw new UsageError(`cannot write ${path}: it is not a regular file`, { ...refusal, hint: 'pass a file' });
  if (stat.size === before.length && Buffer.compare(readRegularSync(path, before.length), before) === 0) return;
  throw new UsageError(`${path} changed while it was edited; nothing is written`, {
    code: 'file_changed',
    hint: 'run the command again',
  });
}

/** Gives the new file the owner and mode of the old one. Changing the owner needs privileges, so it may fail. */
function keepOwner(fd: number, path: string): void {
  const { mode, uid, gid } = statSync(path);
  try {
    fchownSync(fd, uid, gid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
  fchmodSync(fd, mode & 0o7777);
}

/** Creates the unfinished file. Its fixed name makes one of two simultaneous commands fail. */
function createUnfinished(unfinished: string): number {
  try {
    return openSync(unfinished, 'wx', 0o600);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw new UsageError(`${unfinished} exists: another command edits the file, or was killed while it did`, {
      code: 'file_changed',
      hint: 'run the command again, and remove this file if it is still there',
      cause,
    });
  }
}

function writeNew(fd: number, path: string, text: string): void {
  try {
    for (let rest: Uint8Array = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(writeSync(fd, rest));
    keepOwner(fd, path);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function replaceContent(file: string, before: Uint8Array, text: string): void {
  const unfinished = `${file}.new`;
  const fd = createUnfinished(unfinished);
  try {
    writeNew(fd, file, text);
    refuseChanged(file, before);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/**
 * Replaces the content of a file. A symbolic link stays a link.
 * @throws UsageError when the file changed, or cannot be written
 */
export function replaceFile(path: string, before: Uint8Array, text: string): void {
  writing(path, refusal, () => replaceContent(realpathSync(path), before, text));
}
