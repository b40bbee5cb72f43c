/** For tests: folders that are removed when this process ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

/** A process that was just killed may still make a file. */
const removal = { recursive: true, force: true, maxRetries: 10 } as const;

/** No earlier, because hooks of a test run in the order of their registration: what the test started still writes to the folder. */
export function scratchFolder(prefix: string): string {
  if (folders.length === 0)
    process.once('exit', () => {
      for (const folder of folders) rmSync(folder, removal);
    });
  const folder = mkdtempSync(join(tmpdir(), prefix));
  folders.push(folder);
  return folder;
}
