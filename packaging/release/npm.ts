/** The channel of the npm package with `guardcli` and `tcp-guard`. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot, packedFile } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { bundle } from '../bundle/bundle.ts';
import { installedPackages } from '../bundle/licenses.ts';
import type { Channel, Release } from './channel.ts';
import { writeSbom } from './sbom.ts';

type Options = Pick<Release, 'signal' | 'onText'>;

/** Runs `npm pack` without the scripts of the package, which would run as this user. */
const pack = (from: string, to: string, options: Partial<Options>): Promise<string> =>
  command('npm', ['pack', '--ignore-scripts', '--pack-destination', to], { cwd: from, ...options });

/** Packs the package with a new bundle, because dist/bin keeps chunks of earlier builds. Returns the path. */
export async function packNpm(folder: string, options: Partial<Options> = {}): Promise<string> {
  const scratch = scratchFolder('guard-pack-');
  await pack(packageRoot, scratch, options);
  await command('tar', ['-xzf', packedFile()], { cwd: scratch, ...options });
  const staged = join(scratch, 'package');
  rmSync(join(staged, 'dist/bin'), { recursive: true });
  await bundle(join(staged, 'dist/bin'));
  await pack(staged, folder, options);
  return join(folder, packedFile());
}

export const npm: Channel = {
  name: 'npm',
  to: 'the npm registry, as request-guard',
  takes: 'half a minute',
  async make({ folder, version, ...options }) {
    await packNpm(folder, options);
    const parts = (await installedPackages()).map((part) => ({ ...part, registry: 'npm' as const }));
    const file = `request-guard-${version}`;
    return [packedFile(), writeSbom(folder, { file, registry: 'npm', name: 'request-guard', version, parts })];
  },
  publish: ([archive, sbom], version) => [
    `npm publish --provenance --access public ${archive}`,
    `gh release upload v${version} ${archive} ${sbom}`,
  ],
};
