/** Memory and pipes that connections use only while data is in them. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { closeOnExec, control, nonBlocking } from '../../process/libc/abi.ts';
import type { Block } from '../../process/libc/block.ts';
import { Descriptor } from '../../process/libc/descriptor.ts';
import type { Libc } from '../../process/libc/libc.ts';

/** Bytes of a pooled slot: most remainders of a write are smaller. */
const slotBytes = 4096;
/** Slots that are kept for later, so that a burst leaves little behind. */
const mostSlots = 1024;
/** Bytes of a pipe. An unprivileged user has 64 MiB of pipes (pipe(7)), and further ones stay at the default. */
const pipeBytes = 262_144;
const defaultPipeBytes = 65_536;

/** Bytes that a socket has not taken yet. */
export class Slots {
  readonly #libc: Libc;
  readonly #free: Block[] = [];

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  /** At least `size` bytes. */
  take(size: number): Block {
    if (size <= slotBytes) return this.#free.pop() ?? this.#libc.allocate(slotBytes);
    return this.#libc.allocate((size + 3) & ~3);
  }

  give(slot: Block): void {
    if (slot.size === slotBytes && this.#free.length < mostSlots) this.#free.push(slot);
  }
}

export class Pipe {
  readonly output: Descriptor;
  readonly input: Descriptor;
  readonly size: number;
  /** Bytes in it. */
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

  /** An empty pipe. Undefined: all have data, as with readers that stall, or the system refuses one. */
  take(): Pipe | undefined {
    const free = this.#free.pop();
    if (free) return free;
    if (this.#open >= daemonBounds.pipes || this.#libc.pipe(this.#pair, nonBlocking | closeOnExec) < 0)
      return undefined;
    const [output, input] = this.#pair.words as unknown as [number, number];
    this.#open += 1;
    const size = this.#libc.fcntl(input, control.setPipeSize, pipeBytes);
    return new Pipe(output, input, size < 0 ? defaultPipeBytes : size);
  }

  /** Closes a pipe with data in it: the data belongs to a connection that ended. */
  give(pipe: Pipe): void {
    if (pipe.length === 0) this.#free.push(pipe);
    else {
      this.#open -= 1;
      pipe.output.close(this.#libc);
      pipe.input.close(this.#libc);
    }
  }
}
