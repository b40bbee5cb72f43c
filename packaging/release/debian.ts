/** The Debian package of `tcp-guard`, for the processor of this machine. */
import { basename } from 'node:path';
import { buildDebian } from '../debian/build.ts';
import type { Channel } from './channel.ts';

export const debian: Channel = {
  name: 'debian',
  to: 'the assets of the GitHub release',
  make: async (release) => [basename(await buildDebian(release))],
  publish: (files, version) => files.map((file) => `gh release upload v${version} ${file}`),
};
