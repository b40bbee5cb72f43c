/** The npm package with `guardcli` and `tcp-guard`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot, packedFile } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { bundle } from '../bundle/bundle.ts';
import type { Channel, Release } from './channel.ts';

type Options = Pick<Release, 'signal' | 'onText'>;

/** npm would run the scripts of this package as this user. */
const pack = (from: string, to: string, options: Partial<Options>): Promise<string> =>
  command('npm', ['pack', '--ignore-scripts', '--pack-destination', to], { cwd: from, ...options });

/**
 * Writes the package into `folder` and returns its path. dist/bin keeps chunks of earlier builds for a day, so the package has a
 * bundle that is made for it.
 */
export async function packNpm(folder: string, options: Partial<Options> = {}): Promise<string> {
  const scratch = mkdtempSync(join(tmpdir(), 'guard-pack-'));
  try {
    await pack(packageRoot, scratch, options);
    await command('tar', ['-xzf', packedFile()], { cwd: scratch, ...options });
    const staged = join(scratch, 'package');
    rmSync(join(staged, 'dist/bin'), { recursive: true });
    await bundle(join(staged, 'dist/bin'));
    await pack(staged, folder, options);
    return join(folder, packedFile());
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

export const npm: Channel = {
  name: 'npm',
  to: 'the npm registry, as request-guard',
  async make({ folder, ...options }) {
    await packNpm(folder, options);
    return [packedFile()];
  },
  publish: (files) => files.map((file) => `npm publish --provenance --access public ${file}`),
};
