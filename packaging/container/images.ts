import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { bundle, daemonPrograms } from '../bundle/bundle.ts';
import { packageIn, type ShippedPackage } from '../bundle/licenses.ts';
import { buildProxy } from '../bundle/proxies.ts';
import type { Part } from '../release/sbom.ts';

export interface Making {
  /** The empty folder that becomes the build context. */
  readonly context: string;
  readonly signal?: AbortSignal;
  readonly onText?: (text: string) => void;
}

export interface Image {
  readonly name: string;
  readonly dockerfile: string;
  /** A stage of the Dockerfile other than the last one. */
  readonly target?: string;
  /** Maximum size of the image, compressed with gzip as in registries. */
  readonly mostBytes: number;
  /** Writes the build context. Returns the parts of the image, except the packages of Debian. */
  readonly stage: (making: Making) => Promise<readonly Part[]>;
}

const megabyte = 1_000_000;

/** Copies the files that the ignore file of a Dockerfile includes with `!`. */
function copyIncluded(dockerfile: string, context: string): void {
  const lines = readFileSync(join(packageRoot, `${dockerfile}.dockerignore`), 'utf8').split('\n');
  const patterns = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  for (const path of globSync(patterns, { cwd: packageRoot }))
    cpSync(join(packageRoot, path), join(context, path), { recursive: true, dereference: true });
}

/** Copies the Node that runs this process when node_modules has none. */
function addNode(context: string): void {
  if (globSync('node_modules/node-linux-*', { cwd: context }).length > 0) return;
  const folder = join(context, 'node_modules/node-linux-machine');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  copyFileSync(process.execPath, join(folder, 'bin/node'));
  writeFileSync(join(folder, 'LICENSE'), `https://github.com/nodejs/node/blob/${process.version}/LICENSE\n`);
}

export const nodePart: Part = { registry: 'generic', name: 'node', version: process.versions.node, license: 'MIT' };

const goParts = (modules: readonly ShippedPackage[]): readonly Part[] =>
  modules.map((part) => ({ ...part, registry: 'golang' }));

const tcpGuard: Image = {
  name: 'tcp-guard',
  dockerfile: 'packaging/container/Dockerfile',
  mostBytes: 90 * megabyte,
  async stage({ context }) {
    copyIncluded(this.dockerfile, context);
    addNode(context);
    // Makes a new bundle, because dist/bin has more programs, and chunks of earlier builds.
    rmSync(join(context, 'dist/bin'), { recursive: true, force: true });
    const bundled = await bundle(join(context, 'dist/bin'), daemonPrograms);
    const packages = [packageIn(join(packageRoot, 'node_modules/re2')), ...bundled];
    return [nodePart, ...packages.map((part) => ({ ...part, registry: 'npm' as const }))];
  },
};

const tcpGuardHost: Image = {
  ...tcpGuard,
  name: 'tcp-guard-host',
  target: 'host',
  mostBytes: 130 * megabyte,
};

const nginx: Image = {
  name: 'nginx',
  dockerfile: 'packaging/container/nginx.Dockerfile',
  mostBytes: 60 * megabyte,
  async stage({ context }) {
    copyIncluded(this.dockerfile, context);
    return [];
  },
};

const traefik: Image = {
  name: 'traefik',
  dockerfile: 'packaging/container/traefik.Dockerfile',
  mostBytes: 60 * megabyte,
  async stage({ context, ...options }) {
    copyFileSync(join(packageRoot, 'module/.traefik.yml'), join(context, '.traefik.yml'));
    return goParts(await buildProxy('traefik', join(context, 'traefik'), options));
  },
};

const caddy: Image = {
  name: 'caddy',
  dockerfile: 'packaging/container/caddy.Dockerfile',
  mostBytes: 30 * megabyte,
  stage: async ({ context, ...options }) => goParts(await buildProxy('caddy', join(context, 'caddy'), options)),
};

export const images: readonly Image[] = [tcpGuard, tcpGuardHost, nginx, traefik, caddy];
