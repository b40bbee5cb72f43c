/** Reads the frames of one side of HTTP/2 (RFC 9113 4.1): header blocks, and where streams end. Content is not kept. */
import type { LineReader } from '../framing/lines.ts';
import { BodyBeginning } from './body.ts';

const headBytes = 9;
const frameTypes = { data: 0, headers: 1, reset: 3, settings: 4, push: 5, continuation: 9 } as const;
const flags = { endStream: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;
const priorityBytes = 5;
const noBytes = Buffer.alloc(0);
const promisedBytes = 4; // the number of the promised stream, in front of its headers

export interface FrameHandlers {
  /** A whole header block of a stream; undefined: that of a promised response. */
  readonly headers: (block: Buffer, stream: number | undefined) => void;
  /** The side sends no more on this stream. Called after `headers`. */
  readonly streamEnd: (stream: number) => void;
  /** Content that is not empty. */
  readonly data?: (stream: number) => void;
  readonly reset: (stream: number) => void;
  readonly fault: (reason: string) => void;
  readonly hold: (bytes: number) => void;
}

interface Frame {
  readonly length: number;
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
}

const frameOf = (head: Buffer): Frame => ({
  length: head.readUIntBE(0, 3),
  type: head[3] as number,
  flags: head[4] as number,
  stream: head.readUInt32BE(5) & 0x7fff_ffff,
});

/** A header block of which frames follow. */
interface OpenBlock {
  readonly first: Frame;
  readonly parts: BodyBeginning;
}

/** Removes padding, and what precedes the header block. Undefined when the frame is too short for it. */
function blockIn({ type, flags: set }: Frame, content: Buffer): Buffer | undefined {
  const isPadded = (set & flags.padded) !== 0;
  const padding = isPadded ? (content[0] ?? content.length) : 0;
  const hasPriority = type === frameTypes.headers && (set & flags.priority) !== 0;
  const before = Number(isPadded) + (hasPriority ? priorityBytes : 0) + (type === frameTypes.push ? promisedBytes : 0);
  return before + padding > content.length ? undefined : content.subarray(before, content.length - padding);
}

export class FrameReader {
  private isFirst = true;
  private block: OpenBlock | undefined;
  private readonly reader: LineReader;
  private readonly handlers: FrameHandlers;
  private readonly mostHeadBytes: number;

  constructor(reader: LineReader, handlers: FrameHandlers, mostHeadBytes: number) {
    this.reader = reader;
    this.handlers = handlers;
    this.mostHeadBytes = mostHeadBytes;
  }

  /** Reads frames until the reader stops. The first one must be SETTINGS. */
  start(): void {
    this.collect(headBytes, (head) => this.begin(frameOf(head)));
  }

  /** Calls `done` with the content, which is valid during the call. Only content in several pieces is copied. */
  private collect(bytes: number, done: (content: Buffer) => void): void {
    let pieces: BodyBeginning | undefined;
    let content: Buffer = noBytes;
    const part = (piece: Buffer) => {
      if (piece.length === bytes) content = piece;
      else {
        pieces ??= new BodyBeginning(bytes);
        this.handlers.hold(pieces.add(piece));
      }
      return true;
    };
    const end = () => {
      this.handlers.hold(-(pieces?.heldBytes ?? 0));
      done(pieces?.bytes() ?? content);
    };
    this.reader.skip(bytes, { part, end });
  }

  private begin(frame: Frame): void {
    const { type, length, stream } = frame;
    const isFirst = this.isFirst;
    this.isFirst = false;
    const isContinuation = type === frameTypes.continuation;
    const isExpected = isContinuation ? this.block?.first.stream === stream : !this.block;
    if (!isExpected || (isFirst && type !== frameTypes.settings)) this.handlers.fault('frame');
    else if (isContinuation || type === frameTypes.headers || type === frameTypes.push) this.readBlock(frame);
    else this.reader.skip(length, { end: () => this.skipped(frame) });
  }

  private readBlock(frame: Frame): void {
    const bytes = frame.length + (this.block?.parts.length ?? 0);
    if (frame.stream === 0) this.handlers.fault('frame');
    else if (bytes > this.mostHeadBytes) this.handlers.fault('head_too_long');
    else this.collect(frame.length, (content) => this.addToBlock(frame, content));
  }

  private addToBlock(frame: Frame, content: Buffer): void {
    const part = frame.type === frameTypes.continuation ? content : blockIn(frame, content);
    if (!part) {
      this.handlers.fault('frame');
      return;
    }
    const isLast = (frame.flags & flags.endHeaders) !== 0;
    if (isLast && !this.block) this.finishBlock(frame, part);
    else this.addPart(frame, part, isLast);
    this.start();
  }

  private addPart(frame: Frame, part: Buffer, isLast: boolean): void {
    this.block ??= { first: frame, parts: new BodyBeginning(this.mostHeadBytes) };
    const { first, parts } = this.block;
    this.handlers.hold(parts.add(part));
    if (!isLast) return;
    this.block = undefined;
    this.handlers.hold(-parts.heldBytes);
    this.finishBlock(first, parts.bytes());
  }

  private finishBlock({ type, flags: set, stream }: Frame, block: Buffer): void {
    const isPromise = type === frameTypes.push;
    this.handlers.headers(block, isPromise ? undefined : stream);
    if (!isPromise && (set & flags.endStream) !== 0) this.handlers.streamEnd(stream);
  }

  private skipped({ type, flags: set, stream, length }: Frame): void {
    if (type === frameTypes.data && length > 0) this.handlers.data?.(stream);
    if (type === frameTypes.reset) this.handlers.reset(stream);
    else if (type === frameTypes.data && (set & flags.endStream) !== 0) this.handlers.streamEnd(stream);
    this.start();
  }
}
