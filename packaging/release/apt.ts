/** The channel of the apt repository with the Debian packages, on GitHub Pages. The key of the maintainer signs it. */
import { globSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { releaseFile, signedFile, writeAptRepository } from '../debian/apt.ts';
import type { Channel } from './channel.ts';

const repository = 'github.com/request-guard/apt';

export const apt: Channel = {
  name: 'apt',
  to: `${repository}, which GitHub Pages serves to apt`,
  takes: 'seconds',
  async make({ folder }) {
    const built = join(folder, '../debian');
    const archives = globSync('*.deb', { cwd: built }).sort();
    if (archives.length === 0) throw new Error('there is no Debian package: make them first, with --only debian');
    mkdirSync(join(folder, 'apt'));
    await writeAptRepository(
      join(folder, 'apt'),
      archives.map((archive) => join(built, archive)),
    );
    return ['apt'];
  },
  publish: (_, version) => [
    `gpg --clearsign --output apt/${signedFile} apt/${releaseFile}`,
    'gpg --armor --export --output apt/request-guard.asc',
    `git -C apt init --initial-branch=main && git -C apt add . && git -C apt commit --message "Version ${version}"`,
    `git -C apt push --force https://${repository} main`,
  ],
};
