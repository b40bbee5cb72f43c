/** The first sandbox after a machine has started: nothing of its program is in memory yet. */
import assert from 'node:assert/strict';
import { accessSync, constants, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { proxies } from '../cli/targets/table.ts';
import { Policy } from '../contract/policy/schema.ts';
import { serve } from './policies.ts';
import { skip } from './support.ts';

/** Makes the kernel forget what it has read of files; nothing is lost by it. */
const forget = '/proc/sys/vm/drop_caches';

const reason = skip || cannotForget();

function cannotForget(): string | false {
  try {
    accessSync(forget, constants.W_OK);
    return false;
  } catch {
    return `${forget} cannot be written by this user`;
  }
}

for (const target of proxies)
  test(`${target.name} becomes ready within its memory although its program has to be read`, {
    skip: reason,
  }, async (t) => {
    // Builds the image, which reads it.
    await serve(t, target, [Policy.parse({})]);
    writeFileSync(forget, '1');
    const [site] = await serve(t, target, [Policy.parse({})]);
    assert.equal((await fetch(`http://127.0.0.1:${site?.port}/.env`)).status, 403);
  });
