/** The engines that are compared with the reference, each as a command that speaks the protocol. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface EngineRow {
  readonly name: string;
  /** Makes what the command needs in `folder`, which is empty at first and removed at the end; returns the command. */
  readonly prepare: (folder: string) => readonly [file: string, ...args: string[]];
}

export const engines: readonly EngineRow[] = [
  {
    name: 'go',
    prepare: (folder) => {
      const file = join(folder, 'verdicts');
      execFileSync('go', ['build', '-o', file, './cmd/verdicts'], { cwd: join(root, 'module'), stdio: 'inherit' });
      return [file];
    },
  },
];
