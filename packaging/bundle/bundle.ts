/** Bundles the programs into dist/bin: a small file for the start, and chunks that are loaded on demand. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { packageRoot } from '../../platform/assets.ts';
import { builtins, jsonTexts } from './builtins.ts';
import { grouped, groupRoots, groupsOf } from './groups.ts';
import { bundledPackages, licensesText, type ShippedPackage } from './licenses.ts';

export const programs: Readonly<Record<string, string>> = {
  guardcli: 'cli/main.ts',
  'tcp-guard': 'daemon/app/start.ts',
  'ban-store': 'daemon/bans/worker.ts', // a thread of tcp-guard, which needs a separate file
  reaper: 'cli/sandbox/session/reaper-main.ts', // a process that guardcli sandbox starts and that outlives the command
  'relay-worker': 'daemon/workers/worker/main.ts', // a process that tcp-guard starts for each worker
};

/** The programs of the daemon: tcp-guard, and the thread and processes that it starts. */
export const daemonPrograms = ['tcp-guard', 'ban-store', 'relay-worker'];

/**
 * Ink's layout library decodes its code with `fetch` if there is one. That would load Node's HTTP client and take 5 MB
 * of memory.
 */
const withoutFetch: Plugin = {
  name: 'without-fetch',
  setup({ onLoad }) {
    onLoad({ filter: /yoga-wasm-base64-esm\.js$/ }, ({ path }) => ({
      contents: `const fetch = undefined;\n${readFileSync(path, 'utf8')}`,
    }));
  },
};

/** Packages that stay in node_modules: native code, and packages that most commands never load. */
const externalPackages = ['re2', 'dockerode', 'playwright-core', 'axe-core', 'react-devtools-core'];

function optionsOf(outdir: string, names: readonly string[]): BuildOptions & { readonly metafile: true } {
  return {
    entryPoints: names.map((out) => ({ in: join(packageRoot, programs[out] as string), out })),
    outdir,
    metafile: true,
    absWorkingDir: packageRoot,
    external: externalPackages,
    // Selects React's production build. The development build is several times slower.
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [withoutFetch, jsonTexts, builtins],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    chunkNames: 'chunks/[name]-[hash]',
    jsx: 'automatic',
    legalComments: 'linked',
    logLevel: 'warning',
  };
}

/** Bundles the programs. The first build of the grouped ones only finds what their modules import. */
export async function bundlePrograms(outdir: string, names: readonly string[], isGrouped: boolean): Promise<Metafile> {
  const options = optionsOf(outdir, names);
  if (!isGrouped) return (await build(options)).metafile;
  const { metafile } = await build({ ...options, write: false });
  const groups = groupsOf(metafile.inputs, groupRoots);
  const plugins = [grouped(metafile.inputs, groups), ...(options.plugins ?? [])];
  return (await build({ ...options, plugins })).metafile;
}

/**
 * Writes the bundles and the licenses of their packages into `outdir`. Returns these packages. The daemon shares no chunk
 * with guardcli, because it would be divided into as many.
 */
export async function bundle(outdir: string, names = Object.keys(programs)): Promise<ShippedPackage[]> {
  const ofDaemon = (name: string): boolean => daemonPrograms.includes(name);
  const parts = [names.filter(ofDaemon), names.filter((name) => !ofDaemon(name))].filter(({ length }) => length > 0);
  const metafiles = await Promise.all(parts.map((part) => bundlePrograms(outdir, part, !part.every(ofDaemon))));
  for (const name of names) chmodSync(join(outdir, `${name}.js`), 0o755);
  const packages = bundledPackages(
    packageRoot,
    metafiles.flatMap(({ inputs }) => Object.keys(inputs)),
  );
  writeFileSync(join(outdir, 'LICENSES.txt'), licensesText(packages));
  return packages;
}
