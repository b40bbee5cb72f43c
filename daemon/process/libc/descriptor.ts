/** File descriptors that cannot be mistaken for later ones with the same number. */
import type { Libc } from './libc.ts';

/** Counts descriptors of this process, so that an event of a closed one is not taken for one of its successor. */
let opened = 0;

/** An open descriptor. After `close` it has no number: a call with it fails with EBADF and reaches no other file. */
export class Descriptor {
  /** -1: closed. */
  fd: number;
  /** Differs between descriptors that had the same number. */
  readonly generation: number;

  constructor(fd: number) {
    this.fd = fd;
    this.generation = opened;
    opened = (opened + 1) & 0x3fff_ffff;
  }

  get isClosed(): boolean {
    return this.fd < 0;
  }

  /** Closes it once. Linux frees the number even when close(2) reports an error. */
  close(libc: Libc): void {
    const { fd } = this;
    this.fd = -1;
    if (fd >= 0) libc.close(fd);
  }
}
