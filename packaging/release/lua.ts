/** The guard for OpenResty and nginx, in the repository that opm and LuaRocks read. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rockspecOf } from '../../contract/generate/rockspec.ts';
import { type Made, type Tree, writeMirror } from './mirror.ts';

const name = 'lua-resty-guard';

/** Modules have the name `guard` here and `resty.guard` in the repository. */
const required = /\brequire\("guard(?=[".])/g;

/** Returns the modules of this repository as those of the release. */
const modules = (version: string): Tree => ({
  source: 'module/lua',
  place: (file) => (file.startsWith('guard/') ? `lib/resty/${file}` : undefined),
  changed: (_, text) =>
    text.replaceAll(required, 'require("resty.guard').replace(/(_VERSION = )"[^"]+"/, `$1"${version}"`),
});

const other: Tree = { source: 'packaging/lua-resty-guard', place: (file) => file, changed: (_, text) => text };

/** Writes the repository. Returns the paths of its files. */
export function writeLuaMirror({ version, folder }: Made): Promise<string[]> {
  const index = (files: readonly string[]): string => {
    const file = `${name}-${version}-1.rockspec`;
    const lua = files.filter((file) => file.endsWith('.lua')).sort();
    const rock = { name, version, repository: name, dir: name, files: lua, below: 'lib/' };
    writeFileSync(join(folder, file), rockspecOf(rock));
    return file;
  };
  return writeMirror({ version, folder, tags: [`v${version}`], trees: [modules(version), other], index });
}
