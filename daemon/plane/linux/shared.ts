/** What all connections of a plane share. */
import type { Block } from '../../process/libc/block.ts';
import type { Libc } from '../../process/libc/libc.ts';
import { Loop } from './loop.ts';
import { Pipes, Slots } from './pools.ts';
import { addressBytes } from './socket-address.ts';

/** Bytes of one read: more do not make bulk transfers faster, and fewer cost system calls. */
const chunkBytes = 131_072;
/** Bytes that `Connection.write` takes: the longest PROXY header, and more. */
const messageBytes = 16_384;

export class Shared {
  readonly libc: Libc;
  readonly loop: Loop;
  readonly slots: Slots;
  readonly pipes: Pipes;
  /** What was read last. */
  readonly chunk: Block;
  /** What `Connection.write` writes. It can be called during an inspection of the chunk. */
  readonly message: Block;
  readonly address: Block;
  accepted = 0;
  open = 0;
  acceptFaults = 0;
  exhaustedAt = Number.NEGATIVE_INFINITY;

  constructor(libc: Libc) {
    this.libc = libc;
    this.loop = new Loop(libc);
    this.slots = new Slots(libc);
    this.pipes = new Pipes(libc);
    this.chunk = libc.allocate(chunkBytes);
    this.message = libc.allocate(messageBytes);
    this.address = libc.allocate(addressBytes);
  }

  /** Notes that a connection failed for lack of descriptors, ports or memory. */
  exhaust(): void {
    this.exhaustedAt = performance.now();
  }
}
