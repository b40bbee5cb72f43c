/** Finds versions of Caddy and Traefik in sources and pages that are not the pinned ones. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { artefacts } from '../../artefacts/artefacts.ts';
import { packageRoot } from '../../platform/assets.ts';

const pinned: Readonly<Record<string, string>> = {
  caddy: artefacts.caddy.pins['github.com/caddyserver/caddy/v2'],
  traefik: artefacts.traefik.pins['github.com/traefik/traefik/v3'],
};

/** Other versions on purpose: a file, and part of the line. */
const exceptions: readonly (readonly [file: string, line: string])[] = [
  ['docs/traefik.md', 'Traefik 3.6.4 to 3.6.6 return 400'],
  ['e2e/install/versions.ts', 'const versions = '],
];

/** Files that may have any version: changes, hashes, and tests of other versions. */
const unchecked = ['CHANGELOG.md', '**/go.sum', 'package-lock.json', 'cli/build/*.test.ts', 'scripts/pages/versions*'];

/** Matches `Caddy 2.11.9`, `| Caddy | 2.11.9`, `caddy/v2@v2.11.9`, `caddy:2.11.9` and `xcaddy build v2.11.9`. */
const mention = /(?<!guard\/|cmd\/|[\w.-])x?(caddy|traefik)(?:\/v\d| build)?[\s:@|']{1,4}v?(\d+\.\d+\.\d+)\b/gi;

export interface Mention {
  readonly file: string;
  readonly line: string;
  readonly proxy: string;
  readonly version: string;
}

export const mentionsIn = (file: string, text: string): Mention[] =>
  text.split('\n').flatMap((line) =>
    Array.from(line.matchAll(mention), ([, name = '', version = '']) => ({
      ...{ file, line, proxy: name.toLowerCase(), version },
    })),
  );

/** Returns the mentions in all files that git tracks, without the exceptions. */
export function mentions(): Mention[] {
  const files = execFileSync('git', ['grep', '-lIiE', 'caddy|traefik'], { cwd: packageRoot, encoding: 'utf8' });
  return files
    .trim()
    .split('\n')
    .filter((file) => !unchecked.some((pattern) => matchesGlob(file, pattern)))
    .flatMap((file) => mentionsIn(file, readFileSync(join(packageRoot, file), 'utf8')))
    .filter(({ file, line }) => !exceptions.some(([at, part]) => file === at && line.includes(part)));
}

export const isPinned = ({ proxy, version }: Mention): boolean => pinned[proxy] === `v${version}`;
