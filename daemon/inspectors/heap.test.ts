/**
 * A thousand connections whose clients make every inspector keep as much as possible. The memory must stay below the
 * sum of the bounds.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Protocol } from '../../contract/daemon/protocols.ts';
import { usedMemory } from '../../platform/testing/used-memory.ts';
import { Inspection } from '../session/inspection.ts';
import { inspectors } from './index.ts';
import { holdingAttacks, type Steps } from './testing/holding.ts';
import { serviceOf } from './testing/vectors.ts';

const connections = 1000;
const { commandsInFlight, commandsInFlightBytes, connectionFacts, factBytes, httpHeadLines, inspectorPendingBytes } =
  daemonBounds;
/** The bytes that V8 adds to a value: headers of strings and objects, and entries of tables. */
const overhead = 256;
const inspectorBytes = 8192; // the objects and closures of an inspector, without its buffers
const bound =
  inspectorBytes +
  2 * inspectorPendingBytes +
  inspectorPendingBytes +
  httpHeadLines * overhead +
  connectionFacts * (factBytes + overhead) +
  commandsInFlight * overhead +
  commandsInFlightBytes;

function play(protocol: Protocol, steps: Steps): Inspection {
  const context = { service: serviceOf(protocol), client: '192.0.2.1', guard: undefined };
  const inspection = new Inspection(inspectors[protocol].open(context), {
    login: () => {},
    fault: (error) => assert.fail(error as Error),
  });
  for (const [side, bytes] of steps) if (!inspection.isDone()) inspection.inspect(side, Buffer.from(bytes as string));
  return inspection;
}

for (const { protocol, what, steps } of holdingAttacks)
  test(`${protocol}: ${connections} connections with ${what} stay under their bounds`, async () => {
    play(protocol, steps); // allocates what all connections share
    const before = await usedMemory();
    const held = Array.from({ length: connections }, () => play(protocol, steps));
    const each = ((await usedMemory()) - before) / held.length;
    assert.ok(each <= bound, `${Math.round(each)} bytes a connection, and ${bound} are allowed`);
    const counted = held[0]?.heldBytes() ?? 0;
    const most = inspectorBytes + 2 * counted;
    assert.ok(each <= most, `${Math.round(each)} bytes a connection, of which ${counted} are counted`);
  });
