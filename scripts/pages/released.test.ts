import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageLines } from '../../cli/build/printed.ts';
import { ciFiles } from '../../cli/policy/init/ci.ts';
import { containerImage, installable, isPublished, packageRoot, packageVersion } from '../../platform/assets.ts';
import { passages, withPassages } from './released.ts';

const read = (page: string): string => readFileSync(join(packageRoot, page), 'utf8');
const changed = [...new Set(passages.map(({ page }) => page))];
const version = packageVersion();

describe('a page that names what a user installs', () => {
  for (const page of changed) {
    it(`has the text of this state: ${page}`, () =>
      assert.equal(withPassages(page, read(page), isPublished), read(page)));
    it(`can change to the other state and back: ${page}`, () => {
      const before = withPassages(page, read(page), false);
      const released = withPassages(page, before, true);
      assert.notEqual(released, before);
      assert.equal(withPassages(page, released, false), before);
      assert.equal(withPassages(page, released, true), released);
    });
    it(`can change to another version: ${page}`, () => {
      const later = withPassages(page, read(page), true, '12.3.4-rc.1');
      assert.equal(withPassages(page, later, true), withPassages(page, read(page), true));
    });
  }

  it('says nothing about a missing release when there is one', () => {
    const pages = globSync(['*.md', '{docs,packaging,module,examples}/**/*.md'], { cwd: packageRoot });
    assert.ok(pages.length > 30, String(pages.length));
    for (const page of pages)
      assert.doesNotMatch(
        withPassages(page, read(page), true),
        /no release|is published yet|\.\/request-guard-\d/,
        page,
      );
  });
});

describe('a file that guardcli writes', () => {
  for (const [name, { text }] of Object.entries(ciFiles)) {
    it(`installs the packed file until there is a release: ${name}`, () => {
      assert.match(text(['caddy'], false), /^# npm has no release/m);
      assert.ok(text(['caddy'], false).includes(`./request-guard-${version}.tgz`));
    });
    it(`installs the release by its name: ${name}`, () => {
      assert.ok(text(['caddy'], true).includes(`request-guard@${version}`));
      assert.doesNotMatch(text(['caddy'], true), /no release|\.tgz/);
    });
  }

  it('names the package and the image of both states', () => {
    assert.deepEqual(
      [installable(false), installable(true)],
      [`./request-guard-${version}.tgz`, `request-guard@${version}`],
    );
    assert.match(containerImage(false), /^localhost\//);
    assert.match(containerImage(true), /^ghcr\.io\/request-guard\/tcp-guard:\d/);
    assert.match(packageLines({ guard: version }, false).join('\n'), /^# npm has no release.*COPY request-guard-/s);
    assert.deepEqual(packageLines({ guard: version }, true), [
      `RUN npm install --global --ignore-scripts request-guard@${version}`,
    ]);
  });
});
