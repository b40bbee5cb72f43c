/** Creates folders for tests. They are removed when this process ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

/** Retries, because a process that was just killed can still create a file. */
const removal = { recursive: true, force: true, maxRetries: 10 } as const;

/**
 * Creates a folder that is removed at the end of the process and no earlier. Hooks of a test run in the order of their
 * registration, so programs that the test started can still write to the folder.
 */
export function scratchFolder(prefix: string): string {
  if (folders.length === 0)
    process.once('exit', () => {
      for (const folder of folders) rmSync(folder, removal);
    });
  const folder = mkdtempSync(join(tmpdir(), prefix));
  folders.push(folder);
  return folder;
}
