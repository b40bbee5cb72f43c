import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonBounds } from '../contract/daemon/bounds.ts';
import { protocols } from '../contract/daemon/protocols.ts';
import { builtInRules } from '../contract/policy/builtin-rules.ts';
import { limits } from '../contract/policy/limits.ts';
import { modes } from '../contract/policy/modes.ts';
import { readPage } from '../scripts/pages/blocks.ts';
import { images } from './container/images.ts';

const megabytes = Object.fromEntries(images.map(({ name, mostBytes }) => [name, Math.round(mostBytes / 1_000_000)]));

const written = (count: number): string => count.toLocaleString('en-US');
const longestPattern = Math.max(...builtInRules.map(({ pattern }) => pattern.length));

/** Numbers that pages have of the sources. */
const counts: readonly (readonly [page: string, text: string])[] = [
  // `generic` is relayed and not inspected.
  ['README.md', `inspects ${protocols.length - 1} protocols`],
  ['docs/response-modes.md', `in one of ${Object.keys(modes).length} modes`],
  ['docs/engine.md', `the largest built-in one has ${written(longestPattern)} |`],
  ['docs/events.md', `printable ASCII of at most ${written(limits.eventBytes)} bytes`],
  ['docs/events.md', `at most ${written(limits.eventsPerSecond)} events a second`],
  ['docs/ban-list.md', `at most ${written(limits.banListRanges)} ranges`],
  ['docs/host.md', `Up to ${written(daemonBounds.kernelBanEntries)} addresses and networks`],
  ['docs/tcp-guard.md', `entries beyond ${written(daemonBounds.kernelBanEntries)} |`],
  ['docs/scale.md', `more than ${written(daemonBounds.feedDecisions)} decisions`],
  ['docs/inspectors.md', `recognizes ${written(daemonBounds.countedPasswords)} passwords`],
  ['packaging/README.md', `at most ${megabytes['tcp-guard']} MB`],
  ['docs/development.md', `at most ${megabytes['tcp-guard']}, ${megabytes.nginx} and ${megabytes.traefik} MB`],
];

for (const [page, text] of counts)
  test(`${page} has the number of the sources: ${text.replace('\n', ' ')}`, () => {
    assert.ok(readPage(page).includes(text), text);
  });
