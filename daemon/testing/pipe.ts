/** For tests: named pipes. */
import assert from 'node:assert/strict';
import { readSync } from 'node:fs';

/** Reads and drops the available bytes of a pipe that was opened with O_NONBLOCK. Returns true, for conditions. */
export function readAvailable(pipe: number): true {
  const buffer = Buffer.alloc(65_536);
  try {
    while (readSync(pipe, buffer) > 0);
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN');
  }
  return true;
}
