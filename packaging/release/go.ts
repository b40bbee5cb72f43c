/**
 * The channel of the Go modules, for module proxies and Traefik's catalogue. `make` also writes a proxy in the layout
 * of `GOPROXY=file://`.
 */
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { goModules } from '../bundle/go-modules.ts';
import type { Channel } from './channel.ts';
import { type MirrorTarget, type Tree, writeMirror } from './mirror.ts';
import { type Part, writeSbom } from './sbom.ts';

const repository = 'github.com/request-guard/guard';
/** Modules by their folder in the mirror. */
const modules = { '': repository, caddy: `${repository}/caddy` } as const;

/** Files that are not published: tests need the conformance data, and tools and Lua are not part of the guard in Go. */
const omittedFiles = /^(?:cmd|internal|lua)\/|^go\.work|_test\.go$|(?:^|\/)testdata\//;

/**
 * Matches the line of caddy/go.mod that requires the module of the guard. The version in this line is a placeholder
 * that was never published.
 */
const requirementLine = new RegExp(`^(\\s*${repository}) v[^\\s]+$`, 'm');

const tagsOf = (version: string): string[] => Object.keys(modules).map((module) => join(module, `v${version}`));

function writeGoMirror({ version, folder }: MirrorTarget): Promise<void> {
  const tree: Tree = {
    source: 'module',
    pathOf: (file) => (omittedFiles.test(file) ? undefined : file),
    rewrite: (file, text) => (file.endsWith('go.mod') ? text.replace(requirementLine, `$1 v${version}`) : text),
  };
  return writeMirror({ version, folder, tags: tagsOf(version), trees: [tree] });
}

/**
 * Lets Go download both modules from the tags of the mirror, as a module proxy does, and keeps the files in `proxy`.
 */
async function writeGoProxy({ version, folder }: MirrorTarget, proxy: string): Promise<void> {
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

/** Returns the modules that the modules of this repository require. The workspace decides their versions. */
async function requiredModules(): Promise<Part[]> {
  const env = { GOWORK: join(packageRoot, 'module/go.work'), GOFLAGS: '' };
  const modules = await goModules({ folder: 'module/caddy', packages: './...', env });
  return modules.map((part) => ({ ...part, registry: 'golang' }));
}

export const go: Channel = {
  name: 'go',
  to: `${repository}, which Go's module proxies and Traefik's catalogue read`,
  takes: 'a minute',
  async make({ version, folder }) {
    const mirror = { version, folder: join(folder, 'guard') };
    mkdirSync(mirror.folder);
    await writeGoMirror(mirror);
    await writeGoProxy(mirror, join(folder, 'proxy'));
    const product = { file: `guard-${version}`, registry: 'golang', name: repository, version: `v${version}` } as const;
    return ['guard', 'proxy', writeSbom(folder, { ...product, parts: await requiredModules() })];
  },
  publish: ([, , sbom], version) => [
    // The commit of a release has no parent, so `+` replaces main. Tags are never replaced.
    `git -C guard push https://${repository} +main ${tagsOf(version).join(' ')}`,
    ...Object.values(modules).map((module) => `go list -m ${module}@v${version}`),
    `gh release upload v${version} ${sbom}`,
  ],
};

function removeUnserved(folder: string): void {
  const unserved = readdirSync(folder).filter((name) => /\.(?:lock|ziphash)$/.test(name));
  for (const name of unserved) rmSync(join(folder, name));
}
