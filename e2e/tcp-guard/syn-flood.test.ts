/** The kernel absorbs a SYN flood. The daemon sees only clients that completed a handshake. */
import assert from 'node:assert/strict';
import { extname, join } from 'node:path';
import { test } from 'node:test';
import { command } from '../../platform/command.ts';
import { reasonToSkipFlood } from './forged.ts';
import type { FloodRound } from './syn-flood-round.ts';

const program = join(import.meta.dirname, `syn-flood-round${extname(import.meta.filename)}`);

test('a benign client is served during a SYN flood', { skip: reasonToSkipFlood }, async () => {
  const { cookies, visits, served, health, clients } = JSON.parse(
    await command(process.execPath, [program]),
  ) as FloodRound;
  assert.ok(cookies > 0, 'the flood filled the queue of half-open connections');
  assert.ok(visits > 0);
  assert.equal(served, visits);
  assert.equal((JSON.parse(health) as { status: string }).status, 'ok');
  assert.deepEqual(clients, ['10.9.0.1']);
});
