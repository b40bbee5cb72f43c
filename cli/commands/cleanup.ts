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
    'Removes every sandbox container and network of every user, and with --images the sandbox images too. It ' +
    'finds them by their labels and removes nothing else.',
  examples: [
    { line: 'guardcli cleanup', note: 'end all sandboxes' },
    { line: 'guardcli cleanup --images', note: 'also free the disk; the next sandbox rebuilds its image' },
  ],
  configure: (parser) => parser.option('--images', 'also remove the sandbox images'),
  async run({ images = false }, { env }) {
    const containers = await connect(env, diskFiles, open);
    return { removed: await cleanup(containers, images) };
  },
  text({ removed }, paint) {
    if (removed.length === 0) return 'nothing to remove';
    return removed.map(({ kind, name }) => `removed ${kind} ${paint('bold', readable(name))}`).join('\n');
  },
});
