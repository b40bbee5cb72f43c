import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { closeOnExec, epoll, family, nonBlocking, stream } from './abi.ts';
import { Descriptor } from './descriptor.ts';
import { callError, errno, Libc, succeeded } from './libc.ts';
import { loadFfi } from './open.ts';
import { selfTest } from './self-test.ts';
import { libc, skip } from './testing/libc.ts';

const descriptors = () => readdirSync('/proc/self/fd').length;

/** A libc whose splice(2) fails. */
class Faulty extends Libc {
  override splice(): number {
    return -errno.EINVAL;
  }
}

/** A libc without poll(2). A data plane must refuse it, because it could not wait for events. */
class Unable extends Libc {
  override poll(): number {
    return -errno.EPERM;
  }
}

test('the self-test passes, and closes what it opened', { skip }, () => {
  const before = descriptors();
  assert.equal(selfTest(libc), undefined);
  assert.equal(descriptors(), before);
});

test('the self-test names the call that fails', { skip }, () => {
  const before = descriptors();
  assert.match(selfTest(new Faulty(loadFfi())) ?? '', /^splice into a pipe: -22 instead of 13$/);
  assert.match(selfTest(new Unable(loadFfi())) ?? '', /^poll: -1 instead of 1$/);
  assert.equal(descriptors(), before);
});

test('a closed descriptor does not reach the file that has its number now', { skip }, () => {
  const block = libc.allocate(8);
  const open = () => new Descriptor(succeeded('socket', libc.socket(family.ipv4, stream | nonBlocking | closeOnExec)));
  const first = open();
  const { fd } = first;
  first.close(libc);
  const second = open();
  assert.equal(second.fd, fd);
  assert.notEqual(second.generation, first.generation);
  first.close(libc);
  assert.equal(libc.read(first.fd, block), -errno.EBADF);
  assert.equal(libc.read(second.fd, block), -errno.ENOTCONN);
  second.close(libc);
});

test('numbers that are negative or larger than the cached ones reach the function', { skip }, () => {
  const block = libc.allocate(8);
  for (const fd of [-1, 2 ** 30, 2 ** 31 - 1]) assert.equal(libc.read(fd, block), -errno.EBADF, `${fd}`);
  const unknownType = 0x7ff;
  assert.equal(libc.socket(family.ipv4, unknownType | nonBlocking | closeOnExec), -errno.EINVAL);
  succeeded('poll', libc.poll(block, 0, 0));
});

test('waits for an event, up to a time', { skip }, (t) => {
  const events = libc.allocate(64);
  const block = libc.allocate(8);
  succeeded('socketpair', libc.socketPair(family.unix, stream | nonBlocking | closeOnExec, block));
  const [near, far] = [...block.words].map((fd) => new Descriptor(fd)) as [Descriptor, Descriptor];
  const waiting = new Descriptor(succeeded('epoll_create1', libc.epollCreate(closeOnExec)));
  t.after(() => {
    for (const descriptor of [near, far, waiting]) descriptor.close(libc);
  });
  events.words[0] = epoll.in;
  succeeded('epoll_ctl', libc.epollControl(waiting.fd, epoll.add, near.fd, events));
  let count = -errno.EINTR;
  // A signal, for example of a child process, can interrupt the call.
  while (count === -errno.EINTR) count = libc.epollWait(waiting.fd, events, 1, 100);
  assert.equal(count, 0);
  libc.write(far.fd, block, 0, 1);
  assert.equal(libc.epollWait(waiting.fd, events, 1, 999_999), 1);
});

test('a call gets no address outside of a block', { skip }, () => {
  const block = libc.allocate(16);
  for (const [offset, length] of [
    [0, 17],
    [16, 1],
    [-1, 1],
    [0, -1],
    [Number.NaN, 1],
  ] as const)
    assert.throws(() => libc.write(-1, block, offset, length), RangeError);
  assert.throws(() => libc.bind(-1, block, 17), RangeError);
});

test('an error has the fields of system errors', () => {
  const { code, errno: number, syscall, message } = callError('bind', -errno.EADDRINUSE);
  assert.deepEqual([code, number, syscall, message], ['EADDRINUSE', -98, 'bind', 'bind: address already in use']);
});
