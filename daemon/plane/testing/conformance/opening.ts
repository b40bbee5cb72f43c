/** Listening, connecting, and their failures. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { freePort } from '../../../../platform/free-ports.ts';
import { until } from '../../../../platform/testing/until.ts';
import type { Connection } from '../../plane.ts';
import { hangingPort } from '../hanging.ts';
import { received } from '../sockets.ts';
import { acceptClient, connectOutcome, dial, listenUntilEnd, type Subject, test, upstreamAt } from './rig.ts';

const failOnOutcome = (): void => assert.fail('an attempt that was canceled called back');
const socketCount = (): number => readdirSync('/proc/self/fd').length;

function connectTests<C extends Connection>({ create }: Subject<C>): void {
  test('reports why an upstream cannot be connected, and keeps no descriptor', async (t) => {
    const plane = create();
    const { connection } = await acceptClient(t, plane);
    const port = await freePort();
    const before = socketCount();
    const refused = await connectOutcome(plane, { ip: '127.0.0.1', port });
    assert.deepEqual(refused, { ok: false, why: 'refused' });
    const absent = await connectOutcome(plane, { path: '/nonexistent/upstream.sock' });
    assert.deepEqual(absent, { ok: false, why: 'unreachable' });
    await until(() => socketCount() <= before);
    assert.equal(plane.counters().open, 1);
    connection.end('close');
  });

  test('an attempt that is canceled closes its descriptor and does not call back', async (t) => {
    const plane = create();
    const port = await hangingPort(t);
    const before = socketCount();
    const cancels = Array.from({ length: 20 }, () => plane.connect({ ip: '127.0.0.1', port }, failOnOutcome));
    await until(() => socketCount() >= before + cancels.length);
    for (const cancel of cancels) cancel();
    await until(() => socketCount() <= before);
    for (const cancel of cancels) cancel();
    plane.connect({ ip: '127.0.0.1', port }, failOnOutcome)(); // cancel immediately
    await until(() => socketCount() <= before);
    assert.equal(plane.counters().open, 0);
  });

  test('canceling has no effect on a connection that is open', async (t) => {
    const plane = create();
    const arrival = Promise.withResolvers<Socket>();
    const address = await upstreamAt(t, 'ipv4', arrival.resolve);
    const { promise, resolve } = Promise.withResolvers<C>();
    const cancel = plane.connect(address, (outcome) => {
      assert.ok(outcome.ok);
      resolve(outcome.connection);
    });
    const connection = await promise;
    cancel();
    connection.write(Buffer.from('still open'));
    connection.end('close');
    assert.equal((await received(await arrival.promise)).bytes.toString(), 'still open');
    await until(() => plane.counters().open === 0);
  });
}

export function openingTests<C extends Connection>(subject: Subject<C>): void {
  const { create } = subject;
  connectTests(subject);

  test('a port in use is an error with a code', async (t) => {
    const port = await listenUntilEnd(t, create(), () => {});
    const handlers = { accept: () => {}, unattributed: () => {}, fault: () => {} };
    await assert.rejects(create().listen({ host: '127.0.0.1', port }, handlers), { code: 'EADDRINUSE' });
  });

  test('planes can share a port when both are created for it', async (t) => {
    const handlers = { accept: (connection: C) => connection.end('close'), unattributed: () => {}, fault: () => {} };
    const first = await create({ isWorker: true }).listen({ host: '127.0.0.1', port: 0 }, handlers);
    t.after(() => first.close());
    const second = await create({ isWorker: true }).listen(first.endpoint, handlers);
    t.after(() => second.close());
    assert.deepEqual(second.endpoint, first.endpoint);
  });

  test('a listener without an address accepts over IPv4 and IPv6', async (t) => {
    const plane = create();
    const ips: string[] = [];
    const accept = (connection: C) => {
      ips.push(connection.remote.ip);
      connection.end('close');
    };
    const port = await listenUntilEnd(t, plane, accept, '');
    for (const host of ['127.0.0.1', '::1']) await received(dial(port, host));
    assert.deepEqual(ips, ['::ffff:127.0.0.1', '::1']);
  });

  test('a listener that is closed accepts nothing, and its connections continue', async () => {
    const plane = create();
    const { promise, resolve } = Promise.withResolvers<C>();
    const handlers = { accept: resolve, unattributed: assert.fail, fault: assert.fail };
    const listener = await plane.listen({ host: '127.0.0.1', port: 0 }, handlers);
    const socket = dial(listener.endpoint.port);
    const connection = await promise;
    await listener.close();
    assert.equal((await received(dial(listener.endpoint.port))).how, 'reset');
    connection.write(Buffer.from('still open'));
    connection.end('close');
    assert.equal((await received(socket)).bytes.toString(), 'still open');
    assert.equal(plane.counters().accepted, 1);
    socket.destroy();
  });
}
