/** Writes chunks with back-pressure. */
import type { Readable, Writable } from 'node:stream';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';

const nothing = new Uint8Array(0);

/**
 * Stops reading while too much waits to be written. The caller resumes on `drain`. Streams count bytes, but each chunk
 * costs some hundred more: single bytes for a stalled reader would take 20 MB before they are 64 KiB.
 */
export function createWriter(
  from: Pick<Readable, 'pause' | 'resume'>,
  to: Pick<Writable, 'write' | 'writableLength'>,
): (chunk: Uint8Array) => void {
  let waiting = 0;
  return (chunk) => {
    waiting = to.writableLength === 0 ? 0 : waiting + 1;
    if (!to.write(chunk)) from.pause();
    else if (waiting >= daemonBounds.relayChunks) {
      from.pause();
      to.write(nothing, () => from.resume());
    }
  };
}
