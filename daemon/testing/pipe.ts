/** For tests: named pipes. */
import assert from 'node:assert/strict';
import { readSync } from 'node:fs';

/** Reads the available bytes of a pipe without waiting. The pipe was opened with O_NONBLOCK. */
export function readAvailable(pipe: number): true {
  const buffer = Buffer.alloc(65_536);
  try {
    while (readSync(pipe, buffer) > 0);
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN');
  }
  return true;
}
