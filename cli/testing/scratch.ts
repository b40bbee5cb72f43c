import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '../../platform/scratch-folder.ts';

export function scratch(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = scratchFolder('guardcli-test-');
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}
