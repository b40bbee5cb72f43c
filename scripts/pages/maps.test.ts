/** Compares the tables of folders in docs/development.md with the table of borders. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { borders } from '../borders.ts';

const page = readFileSync(join(packageRoot, 'docs/development.md'), 'utf8');

/** Returns the names of folders by rank, of each table with ranks. Rows without a rank are left out. */
const tables = page
  .split('\n| rank | folder')
  .slice(1)
  .map((text) => {
    const rows = text.split('\n\n', 1)[0]?.matchAll(/^\| (\d+) \| (.+?) \|/gm) ?? [];
    const folders = [...rows].flatMap(([, rank, cell = '']) =>
      Array.from(cell.matchAll(/`([a-z0-9-]+)\/`/g), ([, name]) => [name as string, Number(rank)] as const),
    );
    return new Map(folders);
  });

const ranked = borders
  .filter(({ below }) => below !== 'bench/') // the page describes it in one row
  .map(({ layers }) => new Map(layers.flatMap((layer, index) => layer.split(' ').map((name) => [name, index + 1]))));

test('each folder is in the table of the page, with its rank', () => {
  assert.deepEqual(tables, ranked);
});
