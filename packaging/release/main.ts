/**
 * Makes the files of a release, and prints the commands to publish them: `npm run release -- --dry-run [--only <channel>]`.
 * Publishes nothing.
 */
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot, packageVersion } from '../../platform/assets.ts';
import { channels } from './channels.ts';

const names = channels.map(({ name }) => name);
const root = join(packageRoot, '.cache/release');

async function make(only: string | undefined): Promise<void> {
  const version = packageVersion();
  for (const channel of channels.filter(({ name }) => only === undefined || name === only)) {
    const folder = join(root, channel.name);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const { signal } = new AbortController();
    const files = await channel.make({ version, folder, signal, onText: () => {} });
    const made = files.map((file) => `  ${file} (${(statSync(join(folder, file)).size / 1e6).toFixed(1)} MB)`);
    const commands = [`cd ${folder}`, ...channel.publish(files, version)].map((line) => `  $ ${line}`);
    process.stdout.write(`${[`${channel.name}: to ${channel.to}`, ...made, ...commands].join('\n')}\n`);
  }
}

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean' }, only: { type: 'string' } } });
if (!values['dry-run']) {
  process.stderr.write(
    'release: publishing is done by hand. Pass --dry-run to make the files and to print the commands.\n',
  );
  process.exitCode = 2;
} else if (values.only !== undefined && !names.includes(values.only)) {
  process.stderr.write(`release: unknown channel ${JSON.stringify(values.only)}. Choose one of ${names.join(', ')}.\n`);
  process.exitCode = 2;
} else await make(values.only);
