/** The channel of the Debian packages, for the processor of this machine. */
import { basename } from 'node:path';
import { nodePart } from '../container/images.ts';
import { buildDebian } from '../debian/build.ts';
import { buildCaddyPackage } from '../debian/caddy.ts';
import type { BuiltPackage } from '../debian/pack.ts';
import type { Channel } from './channel.ts';
import { type Part, writeSbom } from './sbom.ts';

/** Writes the bill of materials of a package. Returns the names of both files. */
function filesOf(
  folder: string,
  { file, packages }: BuiltPackage,
  registry: Part['registry'],
  others: readonly Part[],
): readonly string[] {
  const [name = '', version = ''] = basename(file, '.deb').split('_');
  const parts = [...packages.map((part) => ({ ...part, registry })), ...others];
  const product = { file: basename(file, '.deb'), registry: 'deb/request-guard', name, version, parts } as const;
  return [basename(file), writeSbom(folder, product)];
}

export const debian: Channel = {
  name: 'debian',
  to: 'the assets of the GitHub release',
  takes: '5 minutes, most of them to compress',
  async make(release) {
    return [
      ...filesOf(release.folder, await buildDebian(release), 'npm', [nodePart]),
      ...filesOf(release.folder, await buildCaddyPackage(release), 'golang', []),
    ];
  },
  publish: (files, version) => files.map((file) => `gh release upload v${version} ${file}`),
};
