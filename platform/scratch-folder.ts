/** Creates folders for tests. They are removed when this process ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

/** Retries, because a process that was just killed can still create a file. */
const removal = { recursive: true, force: true, maxRetries: 10 } as const;

/** Removes the folder at the end of the process, because programs of a test can still write to it earlier. */
export function scratchFolder(prefix: string, parent = tmpdir()): string {
  if (folders.length === 0)
    process.once('exit', () => {
      for (const folder of folders) rmSync(folder, removal);
    });
  const folder = mkdtempSync(join(parent, prefix));
  folders.push(folder);
  return folder;
}
