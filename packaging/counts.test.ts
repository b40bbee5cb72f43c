import assert from 'node:assert/strict';
import { test } from 'node:test';
import { protocols } from '../contract/daemon/protocols.ts';
import { modes } from '../contract/policy/modes.ts';
import { readPage } from '../scripts/pages/blocks.ts';
import { images } from './container/images.ts';

const megabytes = Object.fromEntries(images.map(({ name, mostBytes }) => [name, Math.round(mostBytes / 1_000_000)]));

/** Numbers that pages have of the sources. */
const counts: readonly (readonly [page: string, text: string])[] = [
  // `generic` is relayed and not inspected.
  ['README.md', `inspects ${protocols.length - 1} protocols`],
  ['docs/response-modes.md', `in one of ${Object.keys(modes).length} modes`],
  ['packaging/README.md', `at most ${megabytes['tcp-guard']} MB`],
  ['docs/development.md', `at most ${megabytes['tcp-guard']}, ${megabytes.nginx} and ${megabytes.traefik} MB`],
];

for (const [page, text] of counts)
  test(`${page} has the number of the sources: ${text.replace('\n', ' ')}`, () => {
    assert.ok(readPage(page).includes(text), text);
  });
