/** The npm package with `guardcli` and `tcp-guard`. */
import { packageRoot, packedFile } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import type { Channel } from './channel.ts';

export const npm: Channel = {
  name: 'npm',
  to: 'the npm registry, as request-guard',
  async make({ folder, signal, onText }) {
    // The programs in dist/ are built before a release. npm would run the scripts of this package as this user.
    const args = ['pack', '--ignore-scripts', '--pack-destination', folder];
    await command('npm', args, { cwd: packageRoot, signal, onText });
    return [packedFile()];
  },
  publish: (files) => files.map((file) => `npm publish --provenance --access public ${file}`),
};
