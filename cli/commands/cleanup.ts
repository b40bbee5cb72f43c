/** `guardcli cleanup` */

import { readable } from '../../platform/escape.ts';
import { command } from '../program/command.ts';
import { cleanup } from '../sandbox/cleanup.ts';
import { connect, diskFiles } from '../sandbox/connect.ts';
import type { Item } from '../sandbox/containers.ts';
import { open } from '../sandbox/docker.ts';

interface Options {
  readonly images?: boolean;
}

export interface CleanupResult {
  readonly removed: readonly Item[];
}

export const cleanupCommand = command<Options, CleanupResult>({
  description:
    'Removes every sandbox container and network of every user, and with --images the sandbox images too. They are ' +
    'found by their labels alone; nothing else is removed.',
  examples: [
    { line: 'guardcli cleanup', note: 'end all sandboxes' },
    { line: 'guardcli cleanup --images', note: 'and free the disk; the next sandbox builds its image again' },
  ],
  configure: (parser) => parser.option('--images', 'remove the sandbox images too'),
  async run({ images = false }, { env }) {
    const containers = await connect(env, diskFiles, open);
    return { removed: await cleanup(containers, images) };
  },
  text({ removed }, paint) {
    if (removed.length === 0) return 'nothing to remove';
    return removed.map(({ kind, name }) => `removed ${kind} ${paint('bold', readable(name))}`).join('\n');
  },
});
