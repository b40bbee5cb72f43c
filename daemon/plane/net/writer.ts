/** Writes chunks with back-pressure. */
import type { Readable, Writable } from 'node:stream';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';

const nothing = new Uint8Array(0);

/**
 * Stops reading while too much waits to be written, and calls `drained` before it continues. Streams count bytes, but each chunk
 * costs some hundred more: single bytes for a stalled reader would take 20 MB before they are 64 KiB.
 * The returned function returns false when reading was paused.
 */
export function createWriter(
  from: Pick<Readable, 'pause' | 'resume'>,
  to: Pick<Writable, 'write' | 'writableLength' | 'once'>,
  drained: () => void = () => {},
): (chunk: Uint8Array) => boolean {
  let waiting = 0;
  let isFull = false;
  const onDrain = () => {
    isFull = false;
    drained();
    from.resume();
  };
  return (chunk) => {
    waiting = to.writableLength === 0 ? 0 : waiting + 1;
    if (!to.write(chunk)) {
      from.pause();
      if (!isFull) to.once('drain', onDrain); // most connections need none
      isFull = true;
      return false;
    }
    if (waiting < daemonBounds.relayChunks) return true;
    from.pause();
    to.write(nothing, () => from.resume());
    return false;
  };
}
