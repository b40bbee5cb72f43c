/** `listenNow`: the listener is open when the call returns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Connection } from '../../plane.ts';
import { received } from '../sockets.ts';
import { dial, type Subject } from './rig.ts';

const host = '127.0.0.1';

export function listeningNowTests<C extends Connection>({ create }: Subject<C>): void {
  const handlers = { accept: (connection: C) => connection.end('close'), unattributed() {}, fault() {} };

  test('listens before the call returns, and closes before the next one', async (t) => {
    const plane = create();
    const first = plane.listenNow({ host, port: 0 }, handlers);
    const { endpoint } = first;
    assert.equal((await received(dial(endpoint.port))).how, 'end');
    void first.close();
    const second = plane.listenNow(endpoint, handlers);
    t.after(() => second.close());
    assert.deepEqual(second.endpoint, endpoint);
    assert.equal((await received(dial(endpoint.port))).how, 'end');
  });

  test('shares its port with no other listener, whatever the plane was created for', (t) => {
    const [one, other] = [create({ isWorker: true }), create({ isWorker: true })];
    const listener = one.listenNow({ host, port: 0 }, handlers);
    t.after(() => listener.close());
    assert.throws(() => other.listenNow(listener.endpoint, handlers), { code: 'EADDRINUSE' });
    assert.throws(() => one.listenNow(listener.endpoint, handlers), { code: 'EADDRINUSE' });
    assert.throws(() => one.listenNow({ host: '192.0.2.1', port: 0 }, handlers), { code: 'EADDRNOTAVAIL' });
  });

  test('a connection that was accepted continues after its listener is closed', async () => {
    const plane = create();
    const { promise, resolve } = Promise.withResolvers<C>();
    const listener = plane.listenNow({ host, port: 0 }, { ...handlers, accept: resolve });
    const socket = dial(listener.endpoint.port);
    const connection = await promise;
    void listener.close();
    assert.equal((await received(dial(listener.endpoint.port))).how, 'reset');
    connection.write(Buffer.from('still open'));
    connection.end('close');
    assert.equal((await received(socket)).bytes.toString(), 'still open');
  });
}
