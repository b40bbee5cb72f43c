/**
 * Standard output and standard error. Writes pipes, files and /dev/null directly: the import of Node's streams takes 4
 * ms.
 */
import { fstatSync, statSync, writeSync } from 'node:fs';
import type { Context, Terminal } from './context.ts';

export type OnError = (error: NodeJS.ErrnoException) => void;

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

/** An output with non-blocking writes. */
export interface Sink extends Pick<Terminal, 'writableNeedDrain' | 'on' | 'off'> {
  readonly write: (chunk: string | Uint8Array) => unknown;
}

/** Resolves when no output is buffered, or when the output can no longer be written. */
export async function untilDrained(terminal: Terminal): Promise<void> {
  if (!terminal.writableNeedDrain) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const events = ['drain', 'error'] as const;
  for (const event of events) terminal.on?.(event, resolve);
  await promise;
  for (const event of events) terminal.off?.(event, resolve);
}

/** Writes directly until a non-blocking pipe is full, and from then on through `stream`. */
export function directTerminal(fd: number, stream: () => Sink, onError: OnError): Terminal {
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

/** Opens an output. `onError` receives write errors, such as a closed reader (EPIPE) or a full disk. */
export function openTerminal(fd: 1 | 2, onError: OnError): Terminal {
  const stream = (): NodeJS.WriteStream => (fd === 1 ? process.stdout : process.stderr).on('error', onError);
  return isPlain(fd) ? directTerminal(fd, stream, onError) : stream();
}

export function isInteractive({ stdin, stdout, env }: Context): boolean {
  return stdout.isTTY === true && env.TERM !== 'dumb' && !env.CI && (stdin as { isTTY?: boolean }).isTTY === true;
}
