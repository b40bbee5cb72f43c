/** Reads the fields of a message in order. Beyond the end, numbers are zero, bytes are cut, and `isOver` is true. */
export class Cursor {
  readonly bytes: Buffer;
  at: number;
  isOver = false;

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  get left(): number {
    return Math.max(0, this.bytes.length - this.at);
  }

  skip(length: number): void {
    this.at += length;
    if (this.at > this.bytes.length) this.isOver = true;
  }

  /** Reads an unsigned big-endian integer of up to 4 bytes. */
  number(length: number): number {
    const from = this.at;
    this.skip(length);
    return this.isOver ? 0 : this.bytes.readUIntBE(from, length);
  }

  /** Reads the next `length` bytes, or the available part of them. */
  read(length: number): Buffer {
    const from = this.at;
    this.skip(length);
    return this.bytes.subarray(Math.min(from, this.bytes.length), Math.min(this.at, this.bytes.length));
  }

  text(length: number): string {
    return this.read(length).toString('latin1');
  }

  /** Reads a little-endian base-128 integer of at most `most` bytes. */
  varint(most: number): number {
    let value = 0;
    for (let index = 0; index < most; index += 1) {
      const byte = this.number(1);
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return value;
    }
    this.isOver = true;
    return 0;
  }
}

/** The end of the `varint` at `at`. 0: incomplete. -1: longer than `most` bytes. */
export function varintEnd(bytes: Buffer, at: number, end: number, most: number): number {
  for (let index = at; index < Math.min(end, at + most); index += 1) if ((bytes[index] ?? 0) < 0x80) return index + 1;
  return end - at < most ? 0 : -1;
}
