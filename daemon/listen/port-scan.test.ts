import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Endpoint } from '../../contract/values/endpoint.ts';
import { configOf } from '../bans/testing/scratch.ts';
import { type KeptAudit, keptAudit } from '../failures/testing/tracker.ts';
import type { Failure } from '../failures/tracker.ts';
import { createLinuxPlane } from '../plane/linux/plane.ts';
import { createNetPlane } from '../plane/net/plane.ts';
import type { Connection } from '../plane/plane.ts';
import { libc, skip } from '../process/libc/testing/libc.ts';
import { scan } from '../testing/scan.ts';
import { trapInThisProcess } from './acceptor.ts';
import { createListeners, type Listen, listenInThisProcess } from './listeners.ts';
import { portScanTraps } from './port-scan.ts';

const config = configOf('version: 1\nport_scan: {listen: ["127.0.0.1:0", "[::1]:0"], threshold: 3, window: 30s}');

async function trap(
  test: { after: (done: () => Promise<void>) => void },
  createListen: (fault: (message: string) => void) => Listen<Connection> = (fault) =>
    listenInThisProcess(createNetPlane(), fault),
) {
  const audit: KeptAudit = keptAudit();
  const failed: Failure[] = [];
  const failures = {
    fail: (failure: Failure) => {
      failed.push(failure);
      return false;
    },
    size: () => 0,
  };
  const listeners = createListeners(createListen(audit.fault), audit.fault);
  const unattributed = { count: 0 };
  const traps = portScanTraps(config, { failures, audit, unattributed }, trapInThisProcess);
  await listeners.change(traps);
  const close = () => listeners.change([]);
  test.after(close);
  const endpoints = traps.map(({ name }) => listeners.endpointOf(name) as Endpoint);
  return { endpoints, close, audit, failed, unattributed };
}

/** Resolves when the other side has ended the connection. Returns the number of bytes that it sent. */
async function probe(host: string, port: number): Promise<number> {
  const socket = connect({ host, port });
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
  });
  socket.on('error', () => {}); // the daemon resets the connection
  await new Promise((resolve) => socket.on('close', resolve));
  return bytes;
}

describe('port-scan trap', () => {
  it('ends a probe at once, records it and counts it', async (test) => {
    const { endpoints, audit, failed } = await trap(test);
    for (const { host, port } of endpoints) assert.equal(await probe(host, port), 0);
    assert.deepEqual(
      audit.events.map(({ action, reason, client_ip }) => ({ action, reason, client_ip })),
      ['127.0.0.1', '::1'].map((client_ip) => ({ action: 'blocked', reason: 'port_scan', client_ip })),
    );
    assert.deepEqual(failed[0], {
      ip: '127.0.0.1',
      trigger: 'closed port',
      origin: 'port_scan',
      after: 3,
      windowMs: 30_000,
    });
    assert.deepEqual(audit.faults, []);
  });

  it('counts probes that are reset before they are accepted, and attributes them to no client', async (test) => {
    const { endpoints, audit, failed, unattributed } = await trap(test);
    scan(endpoints[0] as Endpoint);
    while (unattributed.count < 5) await turn();
    assert.deepEqual([audit.events, failed], [[], []]);
  });

  it('attributes probes that are reset before they are accepted to their clients on the Linux plane', {
    skip,
  }, async (test) => {
    const { endpoints, failed, unattributed } = await trap(test, (fault) =>
      listenInThisProcess(createLinuxPlane(libc), fault),
    );
    for (const endpoint of endpoints) scan(endpoint);
    while (failed.length < 10) await turn();
    assert.deepEqual(failed.map(({ ip }) => ip).sort(), [...Array(5).fill('127.0.0.1'), ...Array(5).fill('::1')]);
    assert.equal(unattributed.count, 0);
  });

  it('skips a port in use, and reports it', async (test) => {
    const { endpoints } = await trap(test);
    const taken = `127.0.0.1:${endpoints[0]?.port}`;
    const audit = keptAudit();
    const other = configOf(`version: 1\nport_scan: {listen: ["${taken}", "127.0.0.1:0"]}`);
    const listeners = createListeners(listenInThisProcess(createNetPlane(), audit.fault), audit.fault);
    test.after(() => listeners.change([]));
    await listeners.change(
      portScanTraps(
        other,
        { failures: { fail: () => false, size: () => 0 }, audit, unattributed: { count: 0 } },
        trapInThisProcess,
      ),
    );
    assert.equal(listeners.endpointOf('port_scan.listen[0]'), undefined);
    assert.notEqual(listeners.endpointOf('port_scan.listen[1]'), undefined);
    assert.match(audit.faults.join(), /^cannot listen for port_scan\.listen\[0\]: .*EADDRINUSE/);
    assert.deepEqual(listeners.problems(), audit.faults);
  });

  it('accepts nothing after it was closed', async (test) => {
    const { endpoints, close, audit } = await trap(test);
    await close();
    for (const { host, port } of endpoints) await probe(host, port);
    assert.deepEqual(audit.events, []);
  });
});
