/** Memory that C functions read and write. Only this module and `Libc` handle addresses. */
import { markAsUntransferable } from 'node:worker_threads';

/**
 * A buffer for a C function, outside the heap of V8, which would move it. Keep a reference until the C function has
 * returned. If C uses the address later, pass the block to `Libc.pin`.
 */
export class Block {
  readonly bytes: Uint8Array;
  /** Use it as little-endian, which both architectures are. */
  readonly view: DataView;
  readonly words: Int32Array;
  readonly #base: bigint;

  /** Call `Libc.allocate` instead. `size`: a multiple of four bytes. */
  constructor(size: number, addressOf: (bytes: Uint8Array) => bigint) {
    const buffer = new ArrayBuffer(size);
    markAsUntransferable(buffer);
    this.bytes = new Uint8Array(buffer);
    this.view = new DataView(buffer);
    this.words = new Int32Array(buffer);
    this.#base = addressOf(this.bytes);
  }

  get size(): number {
    return this.bytes.length;
  }

  /** The address of `length` bytes at `offset`. @throws RangeError when they are not all in the block */
  address(offset: number, length: number): bigint {
    if (!(offset >= 0 && length >= 0 && offset + length <= this.bytes.length))
      throw new RangeError(`${length} bytes at ${offset} are not within a block of ${this.bytes.length} bytes`);
    return offset === 0 ? this.#base : this.#base + BigInt(offset);
  }
}
