/** The channel of the rpm package, for the processor of this machine. A maintainer publishes it. */
import { basename } from 'node:path';
import { nodePart } from '../container/images.ts';
import { buildRpm } from '../rpm/build.ts';
import type { Channel } from './channel.ts';
import { writeSbom } from './sbom.ts';

export const rpm: Channel = {
  name: 'rpm',
  to: 'the assets of the GitHub release',
  takes: '2 minutes, most of them to compress',
  async make(release) {
    const { file, packages } = await buildRpm(release);
    const parts = [...packages.map((part) => ({ ...part, registry: 'npm' as const })), nodePart];
    const { version } = release;
    const product = { registry: 'rpm/request-guard', name: 'request-guard', version, parts } as const;
    return [basename(file), writeSbom(release.folder, { file: basename(file, '.rpm'), ...product })];
  },
  publish: (files, version) => files.map((file) => `gh release upload v${version} ${file}`),
};
