/** Copies what the npm package has, and the packages that it needs at run time, without npm. */
import { cpSync, existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifest, packageRoot } from '../../platform/assets.ts';
import { packageIn, type ShippedPackage } from './licenses.ts';

/** Native code, of which only these files are needed: the others compile it. */
const nativeFiles: Readonly<Record<string, readonly string[]>> = {
  re2: ['package.json', 're2.js', 'build/Release/re2.node'],
};

/** Copies the files of the npm package, except the folder `dist`. */
export function copyPackageFiles(folder: string): void {
  const patterns = manifest().files.filter((pattern) => !pattern.startsWith('dist/'));
  const isExcluded = (pattern: string): boolean => pattern.startsWith('!');
  const included = patterns.filter((pattern) => !isExcluded(pattern));
  const exclude = patterns.filter(isExcluded).flatMap((pattern) => [pattern.slice(1), `${pattern.slice(1)}/**`]);
  // `**` matches no names that start with a period.
  const wanted = included.flatMap((pattern) => [pattern, `${pattern}/**`, `${pattern}/**/.*`]);
  for (const entry of globSync(wanted, { cwd: packageRoot, exclude, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) cpSync(path, join(folder, path.slice(packageRoot.length)));
  }
}

/** Returns the folder of a package that the one in `from` imports, as Node finds it. */
function folderOf(name: string, from: string): string {
  for (let folder = from; folder.startsWith(packageRoot); folder = join(folder, '..')) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(found)) return found;
  }
  throw new Error(`${name} is not installed, which ${from} needs`);
}

/** Copies the packages and their dependencies, at the same places in node_modules. Returns all of them. */
export function copyDependencies(names: readonly string[], to: string): readonly ShippedPackage[] {
  const found = new Set<string>();
  const add = (name: string, from: string): void => {
    const folder = folderOf(name, from);
    if (found.has(folder)) return;
    found.add(folder);
    if (nativeFiles[name]) return;
    const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    for (const one of Object.keys(dependencies)) if (!one.startsWith('@types/')) add(one, folder);
  };
  for (const name of names) add(name, packageRoot);
  for (const folder of found) copyOne(folder, join(to, folder.slice(packageRoot.length)));
  return [...found].map(packageIn);
}

/** Settings of their authors' tools, and programs that nothing here runs. Other packages are found by `copyDependencies`. */
const left = /\/(?:node_modules|bin|\.[^/]*)(?:\/|$)/;

function copyOne(folder: string, to: string): void {
  const files = nativeFiles[packageIn(folder).name];
  if (files) for (const file of files) cpSync(join(folder, file), join(to, file));
  else cpSync(folder, to, { recursive: true, filter: (path) => !left.test(path.slice(folder.length)) });
}
