/**
 * Standard output and error. Node's own streams for them load its network code, 4 ms of every start; where nobody looks
 * at a terminal (a pipe, a file, /dev/null) the bytes are written directly.
 */
import { fstatSync, statSync, writeSync } from 'node:fs';
import type { Terminal } from './context.ts';

/** What becomes of an error of writing. */
export type OnError = (error: NodeJS.ErrnoException) => void;

/** Whether `fd` is certainly no terminal. */
function isPlain(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    return stat.isFIFO() || stat.isFile() || stat.rdev === statSync('/dev/null').rdev;
  } catch {
    return false;
  }
}

function writeAll(fd: number, bytes: Uint8Array): Uint8Array {
  let rest = bytes;
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
  }
  return rest;
}

/** What can be written to without waiting. */
export interface Sink extends Pick<Terminal, 'writableNeedDrain' | 'on' | 'off'> {
  readonly write: (chunk: string | Uint8Array) => unknown;
}

/** Resolves when what was written no longer waits in memory, or can no longer be written. */
export async function drained(terminal: Terminal): Promise<void> {
  if (!terminal.writableNeedDrain) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const events = ['drain', 'error'] as const;
  for (const event of events) terminal.on?.(event, resolve);
  await promise;
  for (const event of events) terminal.off?.(event, resolve);
}

/** Writes directly, and through `stream` from the first time that a pipe which somebody made non-blocking is full. */
export function direct(fd: number, stream: () => Sink, onError: OnError): Terminal {
  let slow: Sink | undefined;
  const write = (text: string) => {
    if (slow) return void slow.write(text);
    try {
      const rest = writeAll(fd, Buffer.from(text));
      if (rest.length === 0) return;
      slow = stream();
      slow.write(rest);
    } catch (error) {
      onError(error as NodeJS.ErrnoException);
    }
  };
  return {
    isTTY: false,
    write,
    get writableNeedDrain() {
      return slow?.writableNeedDrain === true;
    },
    on: (event, listener) => slow?.on?.(event, listener),
    off: (event, listener) => slow?.off?.(event, listener),
  };
}

function watched(stream: NodeJS.WriteStream, onError: OnError): NodeJS.WriteStream {
  return stream.on('error', onError);
}

/** Standard output (1) or error (2); `onError` hears of a reader that went away (EPIPE) and of a full disk alike. */
export function openTerminal(fd: 1 | 2, onError: OnError): Terminal {
  const stream = () => watched(fd === 1 ? process.stdout : process.stderr, onError);
  return isPlain(fd) ? direct(fd, stream, onError) : stream();
}
