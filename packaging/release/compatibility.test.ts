/** Tests that all files state the same version, and that the page lists the tested versions. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { manifest, packageRoot, packageVersion } from '../../platform/assets.ts';
import pinned from '../../sandbox-images/bases.json' with { type: 'json' };

const textOf = (file: string): string => readFileSync(join(packageRoot, file), 'utf8');

const version = packageVersion();

const statements: Readonly<Record<string, RegExp>> = {
  'module/caddy/go.mod': /^\tgithub\.com\/request-guard\/guard v(\S+)$/m,
  'module/lua/guard/init.lua': /_VERSION = "([^"]+)"/,
  [`module/lua/request-guard-${version}-1.rockspec`]: /^version = "(.+)-1"$/m,
  'CHANGELOG.md': /^## (\d\S*)$/m,
};

describe('one version for everything', () => {
  for (const [file, statement] of Object.entries(statements))
    it(`is in ${file}`, () => assert.equal(statement.exec(textOf(file))?.[1], version));
});

const tested: Readonly<Record<string, string>> = {
  Node: /\d+/.exec(manifest().engines.node)?.[0] ?? '',
  ...Object.fromEntries(
    (
      [
        ['Caddy', pinned.caddy],
        ['Traefik', pinned.traefik],
        ['Loki', pinned.loki],
        ['Grafana', pinned.grafana],
        ['OpenTelemetry Collector', pinned.collector],
      ] as const
    ).map(([name, image]) => [name, image.split(':').at(-1)?.replace(/^v/, '') ?? '']),
  ),
};

describe('docs/compatibility.md', () => {
  for (const [name, wanted] of Object.entries(tested))
    it(`states the tested version of ${name}`, () => {
      const [, stated = ''] =
        new RegExp(`^\\| ${name} \\| ([^|]+) \\|`, 'm').exec(textOf('docs/compatibility.md')) ?? [];
      assert.match(stated, new RegExp(`^${wanted.replaceAll('.', '\\.')}(?: |$)`));
    });
  it('states each release of nginx in docs/parity.md', () => {
    const releases = [...textOf('docs/parity.md').matchAll(/^\| nginx of .* \| (\d+\.\d+),/gm)].map(
      ([, release]) => release,
    );
    assert.ok(releases.length > 0);
    assert.ok(textOf('docs/compatibility.md').includes(`| nginx | ${releases.join(', ')} |`));
  });
});
