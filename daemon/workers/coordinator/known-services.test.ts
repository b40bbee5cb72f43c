import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Served } from '../../admission/admission.ts';
import { compileRules } from '../../admission/rules.ts';
import { idOf } from '../../listen/listeners.ts';
import { noCounts } from '../../stats/counts.ts';
import { configuration, guardedService } from '../../testing/daemon.ts';
import { KnownServices } from './known-services.ts';

/** The services of a configuration with these names and ports. */
function servicesOf(ports: Readonly<Record<string, number>>): Served[] {
  const named = Object.entries(ports).map(([name, port]) => [name, guardedService(9, { listen: `127.0.0.1:${port}` })]);
  const rules = compileRules(configuration({ services: Object.fromEntries(named) }), {
    ownAddresses: [],
    connectionCeiling: Number.POSITIVE_INFINITY,
    guards: new Map(),
  });
  return [...rules.services.values()].map((service) => ({ service, rules, counts: noCounts() }));
}

const placeOf = (name: string, port: number) => ({
  listenerId: idOf({ name, endpoint: { host: '127.0.0.1', port } }),
  service: name,
});

function knowing(ports: Readonly<Record<string, number>>) {
  const known = new KnownServices();
  known.replace(servicesOf(ports));
  const upstreamOf = (name: string, port: number) => known.of(placeOf(name, port))?.service.listen.port;
  return { known, upstreamOf };
}

test('keeps a moved service while a connection of it is open', async () => {
  const { known, upstreamOf } = knowing({ ftp: 1, other: 2 });
  const leave = [known.enter(placeOf('ftp', 1), () => {}), known.enterCurrent('ftp', () => {})];
  known.replace(servicesOf({ ftp: 3, other: 1 }));
  assert.deepEqual([upstreamOf('ftp', 1), upstreamOf('ftp', 3), upstreamOf('other', 1)], [1, 3, 1]);
  assert.equal(upstreamOf('other', 2), undefined, 'it had no connection');
  known.replace(servicesOf({}));
  leave[0]?.();
  await turn();
  assert.equal(upstreamOf('ftp', 1), 1);
  leave[1]?.();
  await turn();
  assert.equal(upstreamOf('ftp', 1), undefined);
});

test('keeps a moved service for a connection that gets its next slot in the same turn', async () => {
  const { known, upstreamOf } = knowing({ ftp: 1 });
  const leave = known.enter(placeOf('ftp', 1), () => {});
  known.replace([]);
  leave();
  assert.equal(upstreamOf('ftp', 1), 1);
  known.enter(placeOf('ftp', 1), () => {});
  await turn();
  assert.equal(upstreamOf('ftp', 1), 1);
});

test('a service that is back on its port is decided by its new rules', () => {
  const { known } = knowing({ ftp: 1 });
  known.enter(placeOf('ftp', 1), () => {});
  known.replace([]);
  const [back] = servicesOf({ ftp: 1 });
  known.replace(back ? [back] : []);
  assert.equal(known.of(placeOf('ftp', 1)), back);
});

test('forgets the services of the oldest configurations when there are too many', () => {
  const { known, upstreamOf } = knowing({});
  const [first] = servicesOf({ ftp: 1 });
  for (let port = 1; port <= daemonBounds.earlierServices + 1; port += 1) {
    known.replace(first ? [{ ...first, service: { ...first.service, listen: { host: '127.0.0.1', port } } }] : []);
    known.enter(placeOf('ftp', port), () => {});
  }
  known.replace([]);
  assert.deepEqual([upstreamOf('ftp', 1), upstreamOf('ftp', 2)], [undefined, 2]);
});
