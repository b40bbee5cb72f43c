/** Finds a browser on this machine, and the packages that drive it. */
import { accessSync, constants, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { manifest, packageRoot } from '../../../platform/assets.ts';

/** Chromium and browsers built from it, free ones first. */
const browserPrograms = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];

/** macOS does not put browsers on the PATH. */
const macApplications = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export const installHint = 'no Chromium on this machine: sudo apt-get install chromium, or put Chrome on the PATH';

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function findBrowser(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const folders = (env.PATH ?? '').split(':').filter((folder) => folder !== '');
  const onPath = browserPrograms.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...onPath, ...macApplications].find(isProgram);
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns options with which npm installs beside this package: globally, or in the project whose package.json is above
 * node_modules.
 */
const installOptions = (): string =>
  existsSync(join(packageRoot, '../../package.json')) ? 'install --save-dev' : 'install -g';

/** Returns a sentence about missing packages. Undefined when all optional packages are installed. */
function missingPackages(has: (name: string) => boolean): string | undefined {
  const missing = Object.entries(manifest().peerDependencies).filter(([name]) => !has(name));
  if (missing.length === 0) return undefined;
  const names = missing.map(([name]) => name).join(' and ');
  const wanted = missing.map(([name, version]) => `${name}@${version}`).join(' ');
  return `without ${names}: npm ${installOptions()} ${wanted}`;
}

export type Driver = { readonly path: string } | { readonly lacks: string };

/** Finds the browser and the packages that drive it. `lacks`: what is missing, with instructions. */
export function findDriver(
  env: Readonly<Record<string, string | undefined>>,
  has: (name: string) => boolean = isInstalled,
): Driver {
  const path = findBrowser(env);
  const packages = missingPackages(has);
  if (path !== undefined && packages === undefined) return { path };
  return { lacks: [path === undefined ? [installHint] : [], packages ?? []].flat().join('; ') };
}
