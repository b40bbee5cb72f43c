import type { Libc } from './libc.ts';

/** The number of created `Descriptor` objects, modulo 2^30. It is the `generation` of the next one. */
let openedCount = 0;

/** An open descriptor. `close` clears its number: a later call fails with EBADF and does not reach another file. */
export class Descriptor {
  /** -1 when closed. */
  fd: number;
  /** Distinguishes this descriptor from later ones: after a close, the system uses the number `fd` again. */
  readonly generation: number;

  constructor(fd: number) {
    this.fd = fd;
    this.generation = openedCount;
    openedCount = (openedCount + 1) & 0x3fff_ffff;
  }

  get isClosed(): boolean {
    return this.fd < 0;
  }

  /** Closes the descriptor once. Linux frees the number even when close(2) reports an error. */
  close(libc: Libc): void {
    const { fd } = this;
    this.fd = -1;
    if (fd >= 0) libc.close(fd);
  }
}
