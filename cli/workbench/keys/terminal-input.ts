/** Removes mouse reports, which Ink reads as text. Bounds pastes, which Ink collects in memory. */
import { PassThrough } from 'node:stream';
import type { ReadStream } from 'node:tty';

const [pasteStart, pasteEnd] = ['\x1b[200~', '\x1b[201~'];
const interrupt = '\x03';

/** Longest forwarded paste in characters, and longest chunk outside of a paste. */
export const longestPaste = 65_536;

/** Matches mouse reports. X10 has three bytes after `M`. SGR and urxvt have digits, ended by M or m. */
const mouseReport = /\x1b\[(?:M[\s\S]{3}|<[\d;]{1,32}[Mm]|\d{1,4};\d{1,4};\d{1,4}M)/g;
/** Matches the beginning of a mouse report or of a paste marker at the end of a chunk. */
const partialSequence = /\x1b(?:\[(?:M[\s\S]{0,2}|<[\d;]{0,32}|20?[01]?|\d{1,4}(?:;\d{0,4}){0,2})?)?$/;

interface Filter {
  readonly push: (chunk: string) => string;
  /** Returns the held text, an incomplete sequence, and forgets it. */
  readonly flush: () => string;
}

export function createFilter(): Filter {
  let held = '';
  /** Forwarded characters of the current paste. Undefined outside of a paste. */
  let pasted: number | undefined;
  const paste = (text: string): string => {
    const room = Math.max(0, longestPaste - (pasted ?? 0));
    pasted = (pasted ?? 0) + text.length;
    return text.slice(0, room);
  };
  /** Forwards up to the next marker and returns the remaining text. */
  const step = (text: string): readonly [forwarded: string, rest: string] => {
    const marker = pasted === undefined ? pasteStart : pasteEnd;
    const at = text.indexOf(marker);
    const part = at < 0 ? text : text.slice(0, at);
    const shown = pasted === undefined ? part.replace(mouseReport, '').slice(0, longestPaste) : paste(part);
    if (at < 0) return [shown, ''];
    pasted = pasted === undefined ? 0 : undefined;
    return [shown + marker, text.slice(at + marker.length)];
  };
  return {
    push: (chunk) => {
      // Ctrl-C ends a paste whose end marker was lost.
      if (pasted !== undefined && chunk === interrupt) {
        [pasted, held] = [undefined, ''];
        return pasteEnd + interrupt;
      }
      let rest = held + chunk;
      held = partialSequence.exec(rest.slice(-64))?.[0] ?? '';
      rest = rest.slice(0, rest.length - held.length);
      let forwarded = '';
      while (rest !== '') {
        const [shown, next] = step(rest);
        forwarded += shown;
        rest = next;
      }
      return forwarded;
    },
    flush: () => {
      const text = held;
      held = '';
      return pasted === undefined ? text : paste(text);
    },
  };
}

/** Milliseconds to wait for the end of an incomplete sequence. A lone Escape is a key. */
const sequenceTimeoutMs = 20;

export interface Filtered {
  readonly stream: ReadStream;
  /** Leaves the terminal to another program, until `resume`. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly close: () => void;
}

/** Calls `onGone` when the terminal was closed, also below a shell that ignores SIGHUP. */
export function filterTerminal(stdin: ReadStream, onGone: () => void): Filtered {
  const filter = createFilter();
  const output = new PassThrough();
  let timer: NodeJS.Timeout | undefined;
  const forward = (text: string): void => {
    if (text !== '') output.write(text);
  };
  const onData = (chunk: Buffer | string): void => {
    clearTimeout(timer);
    forward(filter.push(String(chunk)));
    timer = setTimeout(() => forward(filter.flush()), sequenceTimeoutMs);
  };
  // `close` keeps the listener of `error`, because restoring the mode of a closed terminal can fail later.
  stdin.setEncoding('utf8').on('data', onData).on('end', onGone).on('error', onGone);
  const stream = Object.assign(output, {
    isTTY: true,
    setRawMode: (isRaw: boolean) => stdin.setRawMode(isRaw),
    ref: () => stdin.ref(),
    unref: () => stdin.unref(),
  }) as unknown as ReadStream;
  const close = (): void => {
    clearTimeout(timer);
    stdin.off('data', onData).off('end', onGone).pause();
  };
  return { stream, pause: () => void stdin.pause(), resume: () => void stdin.resume(), close };
}
