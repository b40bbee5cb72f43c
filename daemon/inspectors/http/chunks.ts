/** Reads a chunked body (RFC 9112 7.1) of a request or a response. */
import type { Content, LineReader } from '../framing/lines.ts';

export interface ChunkOptions {
  readonly part?: Content['part'];
  readonly end: () => void;
  readonly fault: () => void;
  readonly isBadTrailer: (line: string) => boolean;
  readonly trailerBytes: number;
}

/** At most 13 digits: these are 52 bits, which a number represents exactly. */
const sizeForm = /^([0-9A-Fa-f]{1,13})(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?$/;

/** Returns the handler of the lines between chunks. */
export function createChunks(reader: LineReader, options: ChunkOptions): (line: string, isBare: boolean) => void {
  let state: 'size' | 'dataEnd' | 'trailers' = 'size';
  let trailerBytes = 0;
  const content: Content = { ...(options.part && { part: options.part }) };

  const size = (line: string) => {
    const digits = sizeForm.exec(line)?.[1];
    if (digits === undefined) return options.fault();
    const bytes = Number.parseInt(digits, 16);
    state = bytes === 0 ? 'trailers' : 'dataEnd';
    if (bytes > 0) reader.skip(bytes, content);
  };
  const dataEnd = (line: string) => {
    if (line !== '') options.fault();
    state = 'size';
  };
  const trailers = (line: string) => {
    trailerBytes += line.length;
    if (line === '') options.end();
    else if (options.isBadTrailer(line) || trailerBytes > options.trailerBytes) options.fault();
  };
  const places = { size, dataEnd, trailers } as const;
  return (line, isBare) => (isBare ? options.fault() : places[state](line));
}
