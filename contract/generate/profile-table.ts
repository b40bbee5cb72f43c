import { readdirSync, readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { Profile } from '../policy/profiles.ts';

export const profileFolder = new URL('../policy/applications/', import.meta.url);

/** Reads the profiles, one file each. @throws when a profile is malformed */
export function readProfiles(folder: URL): readonly Profile[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return files.sort().map((file) => z.parse(Profile, JSON.parse(readFileSync(new URL(file, folder), 'utf8'))));
}

/** Returns `contract/generated/applications.json`: what a program needs of the profiles. */
export function applicationRows(): string {
  const rows = readProfiles(profileFolder).map(({ name, product, basePaths, marks, passages }) => ({
    ...{ name, product, basePaths, marks },
    passages: passages.map(({ path, rules }) => ({ path, rules })),
  }));
  return `[\n${rows.map((row) => `  ${JSON.stringify(row)}`).join(',\n')}\n]\n`;
}
