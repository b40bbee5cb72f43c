/** Connections that are opened and closed at random. Every byte must be right, and no connection may stay open. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../../platform/testing/until.ts';
import type { Connection, DataPlane } from '../../plane.ts';
import { RandomConnections } from '../random-connections.ts';
import type { Subject } from './rig.ts';

/** Returns a handler that relays each client to this port. */
export function relayAll<C extends Connection>(plane: DataPlane<C>, port: number): (client: C) => void {
  return (client) => {
    const cancel = plane.connect({ ip: '127.0.0.1', port }, (outcome) => {
      if (outcome.ok) plane.relay(client, outcome.connection, { inspect: undefined, ended: () => {} });
      else client.end('reset');
    });
    client.onGone(cancel);
  };
}

/** Runs `count` connections, some of which are reset or stall at either end. Afterwards all of them are closed. */
export async function runChurn<C extends Connection>(plane: DataPlane<C>, count: number): Promise<void> {
  const connections = await RandomConnections.open(0);
  // A client that is reset before it is accepted has no address.
  const handlers = { accept: relayAll(plane, connections.upstreamPort), unattributed: () => {}, fault: assert.fail };
  const listener = await plane.listen({ host: '127.0.0.1', port: 0 }, handlers);
  const { accepted } = plane.counters();
  try {
    const done = await connections.run(listener.endpoint.port, (begun) => begun >= count);
    assert.equal(done.connections, count);
    assert.equal(plane.counters().accepted - accepted, count);
    await until(() => plane.counters().open === 0, 'all connections to be closed');
  } finally {
    await listener.close();
    connections.close();
  }
}

export function churnTests<C extends Connection>(create: Subject<C>['create'], count: number): void {
  void test(`${count} connections that open, send, stall, end and reset at random`, () => runChurn(create(), count));
}
