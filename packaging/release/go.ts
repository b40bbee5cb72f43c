/**
 * The Go modules, in the repository that Go's module proxies and Traefik's catalogue read. `make` also writes what a
 * module proxy would serve, in the layout that `GOPROXY=file://` reads.
 */
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { goModules } from '../bundle/go-modules.ts';
import type { Channel } from './channel.ts';
import { type Made, type Tree, writeMirror } from './mirror.ts';
import { type Part, writeSbom } from './sbom.ts';

const repository = 'github.com/request-guard/guard';
/** The modules by their folder in the mirror. */
const modules = { '': repository, caddy: `${repository}/caddy` } as const;

/** Tests need the conformance data, a workspace is for development, and tools and Lua are not part of the guard in Go. */
const omittedFiles = /^(?:cmd|internal|lua)\/|^go\.work|_test\.go$|(?:^|\/)testdata\//;

/** Matches the line with which a module requires the other one. Its version is a placeholder that was never published. */
const requirementLine = new RegExp(`^(\\s*${repository}) v[^\\s]+$`, 'm');

const tagsOf = (version: string): string[] => Object.keys(modules).map((module) => join(module, `v${version}`));

/** Writes the repository of both modules. */
function writeGoMirror({ version, folder }: Made): Promise<void> {
  const tree: Tree = {
    source: 'module',
    place: (file) => (omittedFiles.test(file) ? undefined : file),
    changed: (file, text) => (file.endsWith('go.mod') ? text.replace(requirementLine, `$1 v${version}`) : text),
  };
  return writeMirror({ version, folder, tags: tagsOf(version), trees: [tree] });
}

/**
 * Lets Go download both modules from the tags of the mirror, as a module proxy does, and keeps the downloaded files in
 * `proxy`.
 */
async function writeGoProxy({ version, folder }: Made, proxy: string): Promise<void> {
  const cache = scratchFolder('guard-modules-');
  const env = {
    ...{ GOMODCACHE: cache, GOFLAGS: '-modcacherw', GOPROXY: 'direct', GONOSUMDB: repository, GOWORK: 'off' },
    ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_VALUE_0: `https://${repository}` },
    GIT_CONFIG_KEY_0: `url.file://${folder}.insteadOf`,
  };
  const versions = Object.values(modules).map((module) => `${module}@v${version}`);
  await command('go', ['mod', 'download', ...versions], { cwd: cache, env });
  mkdirSync(proxy, { recursive: true });
  cpSync(join(cache, 'cache/download/github.com'), join(proxy, 'github.com'), { recursive: true });
  for (const module of Object.values(modules)) removeUnserved(join(proxy, module, '@v'));
}

/** The modules that those of this repository require. The workspace has the versions of both. */
async function requiredModules(): Promise<Part[]> {
  const env = { GOWORK: join(packageRoot, 'module/go.work'), GOFLAGS: '' };
  const modules = await goModules({ folder: 'module/caddy', packages: './...', env });
  return modules.map((part) => ({ ...part, registry: 'golang' }));
}

export const go: Channel = {
  name: 'go',
  to: `${repository}, which Go's module proxies and Traefik's catalogue read`,
  async make({ version, folder }) {
    const mirror = { version, folder: join(folder, 'guard') };
    mkdirSync(mirror.folder);
    await writeGoMirror(mirror);
    await writeGoProxy(mirror, join(folder, 'proxy'));
    const product = { file: `guard-${version}`, registry: 'golang', name: repository, version: `v${version}` } as const;
    return ['guard', 'proxy', writeSbom(folder, { ...product, parts: await requiredModules() })];
  },
  publish: ([, , sbom], version) => [
    // `+` replaces main, because the commit of a release has no parent. Tags are never replaced.
    `git -C guard push https://${repository} +main ${tagsOf(version).join(' ')}`,
    ...Object.values(modules).map((module) => `go list -m ${module}@v${version}`),
    `gh release upload v${version} ${sbom}`,
  ],
};

/** Removes what a module proxy does not serve. */
function removeUnserved(folder: string): void {
  const unserved = readdirSync(folder).filter((name) => /\.(?:lock|ziphash)$/.test(name));
  for (const name of unserved) rmSync(join(folder, name));
}
