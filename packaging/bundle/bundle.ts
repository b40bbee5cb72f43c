/**
 * The programs of the package as bundles in dist/bin: one small file to start from, and chunks that are loaded when they
 * are needed. A bundle is read and compiled several times faster than the hundreds of files it is made of.
 */
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { packageRoot } from '../../platform/assets.ts';
import { builtins } from './builtins.ts';

/** What is started, by the name of its command. */
export const programs: Readonly<Record<string, string>> = {
  guardcli: 'cli/program/main.ts',
  'tcp-guard': 'daemon/app/start.ts',
  'ban-store': 'daemon/bans/worker.ts', // a thread of tcp-guard: it needs a separate file
  'relay-worker': 'daemon/workers/worker/main.ts', // a process of tcp-guard, of which there may be several
};

/** The layout of Ink decodes its code by `fetch` where there is one: that loads Node's HTTP client, 5 MB of memory. */
const withoutFetch: Plugin = {
  name: 'without-fetch',
  setup({ onLoad }) {
    onLoad({ filter: /yoga-wasm-base64-esm\.js$/ }, ({ path }) => ({
      contents: `const fetch = undefined;\n${readFileSync(path, 'utf8')}`,
    }));
  },
};

/** Left in node_modules: native code, and what is loaded only where a person or a container runtime is waited for. */
const external = ['re2', 'dockerode', 'playwright-core', 'axe-core', 'react-devtools-core'];

/** Writes the bundles into `outdir`. */
export async function bundle(outdir: string): Promise<void> {
  const entryPoints = Object.entries(programs).map(([out, source]) => ({ in: join(packageRoot, source), out }));
  await build({
    entryPoints,
    outdir,
    external,
    // React's development build is several times slower.
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [withoutFetch, builtins],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    chunkNames: 'chunks/[name]-[hash]',
    jsx: 'automatic',
    legalComments: 'linked',
    logLevel: 'warning',
  });
  for (const { out } of entryPoints) chmodSync(join(outdir, `${out}.js`), 0o755);
}
