import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { Block } from '../../process/libc/block.ts';
import { errno, Libc } from '../../process/libc/libc.ts';
import { loadFfi } from '../../process/libc/open.ts';
import { skip } from '../../process/libc/testing/libc.ts';
import type { LinuxConnection } from './connection.ts';
import { createLinuxPlane } from './plane.ts';
import { surviveFaults } from './testing/survive-faults.ts';

test('accounts for every byte while calls fail at random', { skip }, () => surviveFaults(30_000));

/**
 * Makes each read fail after it has read the bytes. If the bytes were left unread, the kernel would reset the
 * connection, and the test could not check that the plane resets it.
 */
class UnreadableLibc extends Libc {
  override read(fd: number, into: Block, length?: number): number {
    super.read(fd, into, length);
    return -errno.ECONNRESET;
  }
}

test('resets a connection that cannot be read: a regular end would look complete', { skip }, async (t) => {
  const plane = createLinuxPlane(new UnreadableLibc(loadFfi()));
  const peeked = Promise.withResolvers<string>();
  const accept = async (client: LinuxConnection): Promise<void> => {
    const { why } = await client.peek({ limit: 16, timeoutMs: 60_000, isEnough: () => true });
    peeked.resolve(why);
  };
  const handlers = {
    accept: (client: LinuxConnection) => void accept(client),
    unattributed: () => {},
    fault: () => {},
  };
  const listener = await plane.listen({ host: '127.0.0.1', port: 0 }, handlers);
  t.after(() => listener.close());
  const socket = connect(listener.endpoint.port, '127.0.0.1').resume();
  t.after(() => void socket.destroy());
  socket.write('x');
  const how = await new Promise((resolve) => socket.once('end', resolve).once('error', resolve));
  assert.equal((how as NodeJS.ErrnoException | undefined)?.code, 'ECONNRESET');
  assert.equal(await peeked.promise, 'lost');
});

/** Linux before 5.11, without epoll_pwait2. */
class OldLibc extends Libc {
  waits = 0;

  override epollWait(): number {
    this.waits += 1;
    return -errno.ENOSYS;
  }
}

test('relays where the system cannot wait for microseconds', { skip }, async (t) => {
  const libc = new OldLibc(loadFfi());
  const plane = createLinuxPlane(libc);
  const accept = (client: LinuxConnection): void => client.discard();
  const listener = await plane.listen(
    { host: '127.0.0.1', port: 0 },
    { accept, unattributed: () => {}, fault: () => {} },
  );
  t.after(() => listener.close());
  for (let burst = 0; burst < 3; burst += 1) {
    // Start all of them together: a poll then has several events, after which the loop waits for more.
    const closed = Array.from({ length: 50 }, () =>
      once(connect(listener.endpoint.port, '127.0.0.1').resume().end('x'), 'close'),
    );
    await Promise.all(closed);
  }
  assert.equal(libc.waits, 1);
});
