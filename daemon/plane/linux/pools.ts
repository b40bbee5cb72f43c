/** Pools of memory slots and of pipes. A connection holds a slot or a pipe only while data waits in it. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { closeOnExec, fcntlCommands, nonBlocking } from '../../process/libc/abi.ts';
import type { Block } from '../../process/libc/block.ts';
import { Descriptor } from '../../process/libc/descriptor.ts';
import type { Libc } from '../../process/libc/libc.ts';

/** The size of a slot in a pool. Most remainders of a write are smaller. */
const slotBytes = 4096;
/** The largest number of free slots. Memory beyond it is freed after a burst. */
const mostSlots = 1024;
/** The size of a pipe. The kernel refuses it when an unprivileged user's pipes would exceed 64 MiB (pipe(7)). */
const pipeBytes = 262_144;
const defaultPipeBytes = 65_536;

export class Slots {
  readonly #libc: Libc;
  readonly #free: Block[] = [];

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  acquire(size: number): Block {
    if (size <= slotBytes) return this.#free.pop() ?? this.#libc.allocate(slotBytes);
    return this.#libc.allocate((size + 3) & ~3);
  }

  release(slot: Block): void {
    if (slot.size === slotBytes && this.#free.length < mostSlots) this.#free.push(slot);
  }
}

export class Pipe {
  readonly output: Descriptor;
  readonly input: Descriptor;
  readonly size: number;
  length = 0;

  constructor(output: number, input: number, size: number) {
    this.output = new Descriptor(output);
    this.input = new Descriptor(input);
    this.size = size;
  }
}

export class Pipes {
  readonly #libc: Libc;
  readonly #pair: Block;
  readonly #free: Pipe[] = [];
  #open = 0;

  constructor(libc: Libc) {
    this.#libc = libc;
    this.#pair = libc.allocate(8);
  }

  /** Returns an empty pipe. Undefined when all pipes are in use or the system refuses another one. */
  acquire(): Pipe | undefined {
    const free = this.#free.pop();
    if (free) return free;
    if (this.#open >= daemonBounds.pipes || this.#libc.pipe(this.#pair, nonBlocking | closeOnExec) < 0)
      return undefined;
    const [output, input] = this.#pair.words as unknown as [number, number];
    this.#open += 1;
    const size = this.#libc.fcntl(input, fcntlCommands.setPipeSize, pipeBytes);
    return new Pipe(output, input, size < 0 ? defaultPipeBytes : size);
  }

  /** Returns a pipe to the pool. A pipe with data is closed: its connection has ended. */
  release(pipe: Pipe): void {
    if (pipe.length === 0) this.#free.push(pipe);
    else {
      this.#open -= 1;
      pipe.output.close(this.#libc);
      pipe.input.close(this.#libc);
    }
  }
}
