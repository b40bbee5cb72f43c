/** `guardcli cleanup` */
import { exitCodes } from '../../platform/errors.ts';
import { readable } from '../../platform/escape.ts';
import { command } from '../program/command.ts';
import { type Cleaned, cleanup } from '../sandbox/cleanup.ts';
import { connect, diskFiles } from '../sandbox/connect.ts';
import { open } from '../sandbox/docker.ts';

interface Options {
  readonly images?: boolean;
}

export const cleanupCommand = command<Options, Cleaned>({
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
    return cleanup(containers, images);
  },
  text({ removed, kept, failures }, paint) {
    const lines = removed.map(({ kind, name }) => `removed ${kind} ${paint('bold', readable(name))}`);
    const left = kept.map(({ name }) => `kept image ${paint('bold', readable(name))}: the name is not one of ours`);
    const isEmpty = lines.length + failures.length === 0;
    return [...(isEmpty ? ['nothing to remove'] : lines), ...left].join('\n');
  },
  notes: ({ failures }, paint) =>
    failures
      .map(({ message, reason = 'no reason' }) => `${paint('red', 'error:')} ${readable(`${message}: ${reason}`)}`)
      .join('\n'),
  exitCode: ({ failures }) => (failures.length > 0 ? exitCodes.external : exitCodes.done),
});
