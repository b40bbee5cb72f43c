import { chmodSync, chownSync, renameSync, writeFileSync } from 'node:fs';

/** Replaces a file in one step, so that a daemon never reads a part of it. The owner and the mode are those of `like`. */
export function replaceFile(path: string, text: string, like: { uid: number; gid: number; mode: number }): void {
  const unfinished = `${path}.new`;
  writeFileSync(unfinished, text, { mode: 0o600, flush: true });
  chownSync(unfinished, like.uid, like.gid);
  chmodSync(unfinished, like.mode & 0o777);
  renameSync(unfinished, path);
}
