/**
 * Makes a release and prints the commands to publish it: `npm run release -- --dry-run [--only <channel>] [--tag
 * <tag>]`. Publishes nothing.
 */
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isPublished, packageRoot, packageVersion } from '../../platform/assets.ts';
import { withDots } from '../dots.ts';
import type { Channel } from './channel.ts';
import { channels } from './channels.ts';
import { problemOfTag } from './tag.ts';

const names = channels.map(({ name }) => name);
const root = join(packageRoot, '.cache/release');

async function makeChannel(channel: Channel, version: string): Promise<void> {
  const folder = join(root, channel.name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { signal } = new AbortController();
  const files = await withDots(
    `${channel.name}: making its files takes ${channel.takes}`,
    channel.make({ version, folder, signal, onText: () => {} }),
  );
  const made = files.map((file) => `  ${file} (${(statSync(join(folder, file)).size / 1e6).toFixed(1)} MB)`);
  const commands = channel.publish(files, version);
  writeFileSync(join(folder, 'publish.sh'), ['set -ex', 'cd "$(dirname "$0")"', ...commands, ''].join('\n'));
  const printed = [`cd ${folder}`, ...commands].map((line) => `  $ ${line}`);
  process.stdout.write(`${[`${channel.name}: to ${channel.to}`, ...made, ...printed].join('\n')}\n`);
}

const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean' }, only: { type: 'string' }, tag: { type: 'string' } },
});

function problemOfRelease(): string | undefined {
  const { 'dry-run': isDry, only, tag } = values;
  if (!isDry) return 'publishing is done by hand. Pass --dry-run to make the files and to print the commands.';
  if (only !== undefined && !names.includes(only))
    return `unknown channel ${JSON.stringify(only)}. Choose one of ${names.join(', ')}.`;
  return tag === undefined ? undefined : problemOfTag(tag, packageVersion(), isPublished);
}

const found = problemOfRelease();
if (found !== undefined) {
  process.stderr.write(`release: ${found}\n`);
  process.exitCode = 2;
} else
  for (const channel of channels.filter(({ name }) => values.only === undefined || name === values.only))
    await makeChannel(channel, packageVersion());
