import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import type { Block } from '../../process/libc/block.ts';
import { Libc } from '../../process/libc/libc.ts';
import { loadFfi } from '../../process/libc/open.ts';
import { skip } from '../../process/libc/testing/libc.ts';
import { isEndAcknowledged } from '../testing/tcp-state.ts';
import type { LinuxConnection } from './connection.ts';
import { createLinuxPlane } from './plane.ts';

class CountingLibc extends Libc {
  reads = 0;

  override read(fd: number, into: Block, length?: number): number {
    this.reads += 1;
    return super.read(fd, into, length);
  }
}

test('an end that arrived with the last bytes takes no second read', { skip }, async (t) => {
  const libc = new CountingLibc(loadFfi());
  const plane = createLinuxPlane(libc);
  const accepted = Promise.withResolvers<LinuxConnection>();
  const handlers = { accept: accepted.resolve, unattributed: () => {}, fault: () => {} };
  const listener = await plane.listen({ host: '127.0.0.1', port: 0 }, handlers);
  t.after(() => listener.close());
  const socket = connect(listener.endpoint.port, '127.0.0.1').resume();
  t.after(() => void socket.destroy());
  socket.end('the last bytes');
  await until(() => isEndAcknowledged(socket));
  (await accepted.promise).discard();
  await once(socket, 'close');
  assert.equal(libc.reads, 1);
});
