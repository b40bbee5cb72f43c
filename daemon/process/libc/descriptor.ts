/** File descriptors that are not mistaken for later ones with the same number. */
import type { Libc } from './libc.ts';

/** The number of descriptors that this process has opened so far. It is the source of `Descriptor.generation`. */
let openedCount = 0;

/**
 * An open descriptor. `close` clears its number, so that a later call fails with EBADF and does not reach another file.
 */
export class Descriptor {
  /** -1 when closed. */
  fd: number;
  /** A number that no other descriptor has. The system gives the number of a closed descriptor to a new one. */
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
