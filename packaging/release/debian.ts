/** The channel of the Debian package of `tcp-guard`, for the processor of this machine. */
import { basename } from 'node:path';
import { nodePart } from '../container/images.ts';
import { buildDebian } from '../debian/build.ts';
import type { Channel } from './channel.ts';
import { type Part, writeSbom } from './sbom.ts';

export const debian: Channel = {
  name: 'debian',
  to: 'the assets of the GitHub release',
  async make(release) {
    const { file, packages } = await buildDebian(release);
    const { folder } = release;
    const parts: Part[] = packages.map((part) => ({ ...part, registry: 'npm' }));
    const name = basename(file, '.deb');
    const product = {
      file: name,
      registry: 'deb/request-guard',
      name: 'tcp-guard',
      version: name.split('_')[1] ?? '',
    } as const;
    return [basename(file), writeSbom(folder, { ...product, parts: [...parts, nodePart] })];
  },
  publish: (files, version) => files.map((file) => `gh release upload v${version} ${file}`),
};
