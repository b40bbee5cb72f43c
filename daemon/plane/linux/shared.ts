/** State that all connections of a plane share. */
import type { Block } from '../../process/libc/block.ts';
import type { Libc } from '../../process/libc/libc.ts';
import { Loop } from './loop.ts';
import { Pipes, Slots } from './pools.ts';
import { addressBytes } from './socket-address.ts';

/** The size of the largest read. Larger ones are not faster for bulk transfers; smaller ones cost more system calls. */
const chunkBytes = 131_072;
/** The largest number of bytes that `Connection.write` accepts. The longest PROXY header fits. */
const messageBytes = 16_384;

export class Shared {
  readonly libc: Libc;
  readonly loop: Loop;
  readonly slots: Slots;
  readonly pipes: Pipes;
  readonly chunk: Block;
  /** The bytes that `Connection.write` writes. A separate block, because an inspection of the chunk may call it. */
  readonly message: Block;
  readonly address: Block;
  accepted = 0;
  openConnections = 0;
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

  recordExhaustion(): void {
    this.exhaustedAt = performance.now();
  }
}
