import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commands } from '../../cli/commands/index.ts';
import { manifest } from '../../platform/assets.ts';
import { manuals } from './manuals.ts';

/** The roff requests of the pages. A line of text that begins like another request would not be shown. */
const requests = ['TH', 'SH', 'SS', 'TP', 'I', 'nf', 'fi'];

describe('the manual pages', async () => {
  const pages = await manuals();

  it('are those that npm installs', () => {
    const { man } = manifest() as unknown as { man: readonly string[] };
    assert.deepEqual(
      man,
      Object.keys(pages).map((name) => `./dist/man/${name}`),
    );
  });

  it('have the help of every command', () => {
    for (const { name } of commands) {
      const [, help = ''] = pages['guardcli.1']?.split(`\n.SS guardcli ${name}\n.nf\n`) ?? [];
      assert.match(help, new RegExp(`^Usage: guardcli ${name} `), name);
    }
  });

  for (const [name, text] of Object.entries(pages))
    it(`have only requests that they mean: ${name}`, () => {
      const others = text
        .split('\n')
        .filter((line) => /^[.']/.test(line) && !requests.includes(line.split(' ')[0]?.slice(1) ?? ''));
      assert.deepEqual(others, []);
      assert.doesNotMatch(text, /\u001b/);
    });
});
