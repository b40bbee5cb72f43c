import { type CleanupResult, cleanup } from '../../containers/cleanup.ts';
import { connect, diskFiles } from '../../containers/connect.ts';
import type { Item } from '../../containers/containers.ts';
import { open } from '../../containers/docker.ts';
import { exitCodes, UsageError } from '../../platform/errors.ts';
import { readable } from '../../platform/escape.ts';
import { command } from '../program/command.ts';
import type { Paint } from '../program/paint.ts';

interface Options {
  readonly sandboxes?: readonly string[];
  readonly images?: boolean;
  readonly dryRun?: boolean;
}

function portText({ ports = [] }: Item): string {
  return ports.length === 0 ? '' : ` (port${ports.length === 1 ? '' : 's'} ${ports.join(', ')})`;
}

const itemLine = (verb: string, item: Item, paint: Paint): string =>
  `${verb} ${item.kind} ${paint('bold', readable(item.name))}${portText(item)}`;

export const definition = command<Options, CleanupResult>({
  description:
    'Removes the named sandboxes. Without a name or port it removes every sandbox container and network of every ' +
    'user, and with --images the sandbox images too. It finds them by their labels and removes nothing else.',
  examples: [
    { line: 'guardcli cleanup 8080', note: 'end the sandbox on this port' },
    { line: 'guardcli cleanup --dry-run', note: 'list all sandboxes of this container runtime, with their ports' },
    { line: 'guardcli cleanup', note: 'end all sandboxes, also those of other users' },
    { line: 'guardcli cleanup --images', note: 'also free the disk; the next sandbox rebuilds its image' },
  ],
  configure: (parser) =>
    parser
      .argument('[sandboxes...]', 'containers, or ports that they publish (default: every sandbox)')
      .option('--dry-run', 'list what would be removed; remove nothing')
      .option('--images', 'also remove the sandbox images'),
  async run({ sandboxes = [], images = false, dryRun = false }, { env, signal }) {
    if (images && sandboxes.length > 0) {
      const hint = 'sandboxes share their images; remove the images with guardcli cleanup --images alone';
      throw new UsageError('--images and the name of a sandbox are mutually exclusive', { code: 'conflict', hint });
    }
    const containers = await connect(env, diskFiles, open, signal);
    return cleanup(containers, { sandboxes, images, dryRun, signal });
  },
  text({ removed, found = [], kept, failures }, paint) {
    const lines = [
      ...removed.map((item) => itemLine('removed', item, paint)),
      ...found.map((item) => itemLine('would remove', item, paint)),
    ];
    const keptLines = kept.map(
      ({ name }) => `kept image ${paint('bold', readable(name))}: the name is not one of ours`,
    );
    const isEmpty = lines.length + failures.length === 0;
    return [...(isEmpty ? ['nothing to remove'] : lines), ...keptLines].join('\n');
  },
  notes: ({ failures }, paint) =>
    failures
      .map(({ message, reason = 'no reason' }) => `${paint('red', 'error:')} ${readable(`${message}: ${reason}`)}`)
      .join('\n'),
  exitCode: ({ failures }) => (failures.length > 0 ? exitCodes.external : exitCodes.done),
});
