/** The channel of the guard for OpenResty and nginx: a repository that opm and LuaRocks read. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rockspecOf } from '../../contract/generate/rockspec.ts';
import { manifest } from '../../platform/assets.ts';
import type { Channel } from './channel.ts';
import { type MirrorTarget, type Tree, writeMirror } from './mirror.ts';

const name = 'lua-resty-guard';

/** Matches names of modules. `guard` is `resty.guard` in the published repository. */
const guardRequire = /\brequire\("guard(?=[".])/g;

const moduleTree = (version: string): Tree => ({
  source: 'module/lua',
  pathOf: (file) => (file.startsWith('guard/') ? `lib/resty/${file}` : undefined),
  rewrite: (_, text) =>
    text.replaceAll(guardRequire, 'require("resty.guard').replace(/(_VERSION = )"[^"]+"/, `$1"${version}"`),
});

const mirrorFiles: Tree = { source: 'packaging/lua-resty-guard', pathOf: (file) => file, rewrite: (_, text) => text };

const rockspecFile = (version: string): string => `${name}-${version}-1.rockspec`;

/** Writes the published repository, with an index of its files. */
function writeLuaMirror({ version, folder }: MirrorTarget): Promise<void> {
  const index = (files: readonly string[]): void => {
    const lua = files.filter((file) => file.endsWith('.lua')).sort();
    const { license } = manifest();
    const rock = { name, version, license, repository: name, dir: name, files: lua, below: 'lib/' };
    writeFileSync(join(folder, rockspecFile(version)), rockspecOf(rock));
  };
  return writeMirror({ version, folder, tags: [`v${version}`], trees: [moduleTree(version), mirrorFiles], index });
}

export const lua: Channel = {
  name: 'lua',
  to: `github.com/request-guard/${name}, opm and LuaRocks`,
  takes: 'seconds',
  async make({ version, folder }) {
    const mirror = { version, folder: join(folder, name) };
    mkdirSync(mirror.folder);
    await writeLuaMirror(mirror);
    return [name];
  },
  publish: (_, version) => [
    // `+` replaces main, because the commit of a release has no parent. Tags are never replaced.
    `git -C ${name} push https://github.com/request-guard/${name} +main v${version}`,
    `cd ${name} && opm build && opm upload`,
    `luarocks upload ${name}/${rockspecFile(version)}`,
  ],
};
