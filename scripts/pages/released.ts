/** Passages of pages that differ before and after the first release. `isPublished` selects their text. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPublished, packageRoot, packageVersion } from '../../platform/assets.ts';

interface Passage {
  readonly page: string;
  readonly before: string;
  /** The text after the first release. X.Y.Z is the version. */
  readonly released: string;
}

const fromSources = 'There is no release yet: until then, ';

export const passages: readonly Passage[] = [
  {
    page: 'docs/first-hour.md',
    before: '$ npm install -g --allow-scripts=re2 ./request-guard-X.Y.Z.tgz\n',
    released: '$ npm install -g --allow-scripts=re2 request-guard@X.Y.Z\n',
  },
  {
    page: 'docs/first-hour.md',
    before: ' [install.md](install.md) says how to get the file from a clone: the npm registry has no release yet.',
    released: ' [install.md](install.md) has other ways to install.',
  },
  {
    page: 'docs/install.md',
    before: '[from a clone](#from-a-clone): the npm registry has no release yet |',
    released: '`npm install -g --allow-scripts=re2 request-guard`, or [from a clone](#from-a-clone) |',
  },
  {
    page: 'docs/ci.md',
    before: `npm has no release yet: run \`npm pack\` in a clone of Request Guard, and commit \`request-guard-X.Y.Z.tgz\` beside the other files. Never install
the package by its name until there is a release: a stranger could register the name. The action below needs no such file.
`,
    released: 'The files install the release `request-guard@X.Y.Z` from npm. The action below needs no package.\n',
  },
  { page: 'docs/ci.md', before: '| `./request-guard-X.Y.Z.tgz` |', released: '| `request-guard@X.Y.Z` |' },
  {
    page: 'docs/caddy.md',
    before: `${fromSources}build from a clone of this repository, or from the npm package, in the folder \`request-guard\`.\n`,
    released:
      'To build from sources, use a clone of this repository, or the npm package, in the folder `request-guard`.\n',
  },
  {
    page: 'docs/traefik.md',
    before: `Traefik downloads the plugin at its start. ${fromSources}use the sources.\n`,
    released: 'Traefik downloads the plugin at its start.\n',
  },
  {
    page: 'docs/nginx.md',
    before:
      'another name for it until version 0.2. There is no release yet.\n\n```sh not-run nothing is published yet; ',
    released: 'another name for it until version 0.2.\n\n```sh not-run from public servers; ',
  },
  {
    page: 'packaging/README.md',
    before: ' Releases are in an apt repository. There is\nno release yet.\n\n```sh not-run nothing is published yet; ',
    released: ' Releases are in an apt repository:\n\n```sh not-run from a public server; ',
  },
  {
    page: 'SECURITY.md',
    before: `The newest minor version gets fixes. ${fromSources}the main branch.\n`,
    released: 'The newest minor version gets fixes.\n',
  },
];

function anyVersion(text: string): string {
  const escaped = text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return escaped.replaceAll('X\\.Y\\.Z', '\\d+\\.\\d+\\.\\d+(?:-[\\w.]+)?');
}

/** Returns a page with the passages of this state. @throws when the page has neither form of a passage */
export function withPassages(page: string, text: string, isReleased: boolean, version = packageVersion()): string {
  let changed = text;
  for (const { before, released } of passages.filter((passage) => passage.page === page)) {
    const either = new RegExp(`${anyVersion(before)}|${anyVersion(released)}`, 'g');
    if (!either.test(changed)) throw new Error(`${page} does not contain ${JSON.stringify(before)}`);
    changed = changed.replaceAll(either, () => (isReleased ? released : before).replaceAll('X.Y.Z', version));
  }
  return changed;
}

/** Returns the names of stale pages. Also writes them unless `isCheck` is set. */
export function stalePassages(isCheck: boolean): string[] {
  return [...new Set(passages.map(({ page }) => page))].filter((page) => {
    const file = join(packageRoot, page);
    const text = readFileSync(file, 'utf8');
    const expected = withPassages(page, text, isPublished);
    if (expected !== text && !isCheck) writeFileSync(file, expected);
    return expected !== text;
  });
}
