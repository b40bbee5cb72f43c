/** Checks that libc calls do what the code expects, before any client depends on them. */
import { closeOnExec, epoll, family, nonBlocking, pollReadable, shutdownWrite, stream } from './abi.ts';
import type { Block } from './block.ts';
import { Descriptor } from './descriptor.ts';
import { errno, type Libc, succeeded } from './libc.ts';

const text = new TextEncoder().encode('request guard');

function expectResult(what: string, found: number, wanted: number): void {
  if (found !== wanted) throw new Error(`${what}: ${found} instead of ${wanted}`);
}

const pairOf = (block: Block): [Descriptor, Descriptor] => [
  new Descriptor(block.words[0] as number),
  new Descriptor(block.words[1] as number),
];

function expectText(libc: Libc, from: Descriptor, block: Block): void {
  block.bytes.fill(0);
  expectResult('read', libc.read(from.fd, block), text.length);
  if (text.some((byte, index) => block.bytes[index] !== byte)) throw new Error('read: other bytes than were written');
}

/** Checks that `struct epoll_event` returns the number and the generation of a descriptor. */
function expectEvent(libc: Libc, poll: Descriptor, watched: Descriptor, event: Block): void {
  const { data } = libc.architecture.epollEvent;
  event.words[0] = epoll.in | epoll.edge;
  event.words[data] = watched.fd;
  event.words[data + 1] = watched.generation;
  succeeded('epoll_ctl', libc.epollControl(poll.fd, epoll.add, watched.fd, event));
  event.bytes.fill(0);
  expectResult('epoll_wait', libc.epollPoll(poll.fd, event, 1), 1);
  expectResult('epoll events', event.words[0] as number, epoll.in);
  expectResult('epoll data', event.words[data] as number, watched.fd);
  expectResult('epoll data', event.words[data + 1] as number, watched.generation);
}

function exerciseCalls(libc: Libc, open: (descriptor: Descriptor) => Descriptor): void {
  const block = libc.allocate(64);
  const event = libc.allocate(libc.architecture.epollEvent.words * 4);
  const flags = nonBlocking | closeOnExec;
  succeeded('socketpair', libc.socketPair(family.unix, stream | flags, block));
  const [near, far] = pairOf(block).map(open) as [Descriptor, Descriptor];
  expectResult('read without data', libc.read(near.fd, block), -errno.EAGAIN);
  const poll = open(new Descriptor(succeeded('epoll_create1', libc.epollCreate(closeOnExec))));
  block.bytes.set(text);
  expectResult('write', libc.write(near.fd, block, 0, text.length), text.length);
  event.words[0] = far.fd;
  event.words[1] = pollReadable;
  expectResult('poll', libc.poll(event, 1, 0), 1);
  expectEvent(libc, poll, far, event);
  expectText(libc, far, block);
  succeeded('pipe2', libc.pipe(block, flags));
  const [output, input] = pairOf(block).map(open) as [Descriptor, Descriptor];
  block.bytes.set(text);
  expectResult('write', libc.write(far.fd, block, 0, text.length), text.length);
  expectResult('splice into a pipe', libc.splice(near.fd, input.fd, block.size), text.length);
  expectResult('splice from a pipe', libc.splice(output.fd, near.fd, block.size), text.length);
  expectText(libc, far, block);
  expectResult('shutdown', libc.shutdown(near.fd, shutdownWrite), 0);
  expectResult('read after the end', libc.read(far.fd, block), 0);
  far.close(libc);
  expectResult('read of a closed descriptor', libc.read(far.fd, block), -errno.EBADF);
}

/** Returns why the test failed. Undefined when everything works. */
export function selfTest(libc: Libc): string | undefined {
  const opened: Descriptor[] = [];
  const open = (descriptor: Descriptor): Descriptor => {
    opened.push(descriptor);
    return descriptor;
  };
  try {
    exerciseCalls(libc, open);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    for (const descriptor of opened) descriptor.close(libc);
  }
}
