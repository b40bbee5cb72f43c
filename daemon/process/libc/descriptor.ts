/** File descriptors that are not mistaken for later ones with the same number. */
import type { Libc } from './libc.ts';

/**
 * Counts the descriptors of this process. An event of a closed descriptor is then not mistaken for one of its
 * successor.
 */
let opened = 0;

/**
 * An open descriptor. `close` clears its number, so that a later call fails with EBADF and does not reach another file.
 */
export class Descriptor {
  /** -1 when closed. */
  fd: number;
  /** Distinguishes descriptors that had the same number. */
  readonly generation: number;

  constructor(fd: number) {
    this.fd = fd;
    this.generation = opened;
    opened = (opened + 1) & 0x3fff_ffff;
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
