/** The files of the package that an image copies verbatim. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../platform/assets.ts';
import type { ImageParts } from './parts.ts';

const isTest = (name: string): boolean => name.endsWith('_test.go') || name === 'testdata';

function filesBelow(path: string, leftOut: readonly string[]): string[] {
  if (leftOut.includes(path)) return [];
  if (!statSync(join(packageRoot, path)).isDirectory()) return [path];
  const names = readdirSync(join(packageRoot, path)).filter((name) => !isTest(name));
  return names.flatMap((name) => filesBelow(`${path}/${name}`, leftOut));
}

/** Sorted paths below the package root, without tests. */
export function copiedFiles({ sources = [], leftOut = [] }: Pick<ImageParts, 'sources' | 'leftOut'>): string[] {
  return sources.flatMap((path) => filesBelow(path, leftOut)).sort();
}
