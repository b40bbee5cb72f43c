/**
 * Reads one side of a binary protocol by the lengths of its messages. Only the beginning of a message is inspected.
 * Only messages that are split between chunks are buffered.
 */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { InspectorEvent, InspectorSession, LoginState, Side } from '../inspector.ts';
import { violation } from './events.ts';
import { LoginWait } from './login-wait.ts';
import { createReport } from './report.ts';

/** Reads the messages of one side. `bytes` from `at` to `end` are the beginning of a message, at least one byte. */
export interface MessageHandler {
  /** The length of the message with its header. 0: more bytes are needed. Negative: the bytes violate the protocol. */
  readonly size: (bytes: Buffer, at: number, end: number) => number;
  /** The number of leading bytes that `read` needs. 0: the message is skipped. */
  readonly bytesToRead: (bytes: Buffer, at: number, size: number, end: number) => number;
  readonly pass?: () => void;
  /** Called with the requested bytes, at most `inspectorPendingBytes`. They are valid only during the call. */
  readonly read: (beginning: Buffer, size: number) => void;
}

export interface Channel {
  readonly login: LoginWait;
  /** Reports an event. A violation, a denial or an opaque event ends the inspection. */
  readonly emit: (event: InspectorEvent) => void;
  /** Adds to the held bytes of the connection, other than those of the readers. Negative: removes. */
  readonly hold: (bytes: number) => void;
  readonly finish: () => void;
}

export type Sides = Readonly<Record<Side, MessageHandler>>;

export type Handlers = Sides & Pick<InspectorSession, 'awaitsTls'>;

const { inspectorPendingBytes } = daemonBounds;
const firstBytes = 256; // most buffered messages are shorter
const stepBytes = 512; // the number of bytes that are copied at a time while the beginning of a message is incomplete
const emptyBuffer = Buffer.alloc(0);

class Reader {
  private readonly handler: MessageHandler;
  private readonly fault: (reason: string) => void;
  private readonly isStopped: () => boolean;
  private messageLeft = 0;
  private beginning = emptyBuffer;
  private length = 0;

  constructor(handler: MessageHandler, fault: (reason: string) => void, isStopped: () => boolean) {
    this.handler = handler;
    this.fault = fault;
    this.isStopped = isStopped;
  }

  /** Reads a chunk until `wait` holds this side after a message. Returns the number of bytes that were read. */
  feed(chunk: Buffer, wait?: Pick<LoginState, 'isHeld'>): number {
    const end = chunk.length;
    let at = 0;
    while (at < end && !this.isStopped()) {
      if (this.messageLeft > 0) {
        const passed = Math.min(this.messageLeft, end - at);
        this.messageLeft -= passed;
        at += passed;
      } else if (wait?.isHeld()) return at;
      else at = this.length === 0 ? this.start(chunk, at, end) : this.resume(chunk, at, end);
    }
    return end;
  }

  /** The size of the buffer with the beginning of an unfinished message. */
  get heldBytes(): number {
    return this.length === 0 ? 0 : this.beginning.length;
  }

  /** The number of remaining bytes of the current message, whose beginning was read. The caller skips them. */
  unseen(): number {
    const { messageLeft: left } = this;
    this.messageLeft = 0;
    return left;
  }

  private start(chunk: Buffer, at: number, end: number): number {
    const size = this.handler.size(chunk, at, end);
    if (size > 0) {
      const wanted = this.wanted(chunk, at, size, end);
      if (wanted <= end - at) {
        this.messageLeft = size - wanted;
        if (wanted > 0) this.handler.read(chunk.subarray(at, at + wanted), size);
        else this.handler.pass?.();
        return at + wanted;
      }
    }
    if (size < 0) this.fault('not_the_protocol');
    else this.keep(chunk, at, end);
    return end;
  }

  private resume(chunk: Buffer, at: number, end: number): number {
    const before = this.length;
    const step = Math.min(end, at + stepBytes, at + inspectorPendingBytes - before);
    this.keep(chunk, at, step);
    const size = this.handler.size(this.beginning, 0, this.length);
    if (size < 0) {
      this.fault('not_the_protocol');
      return end;
    }
    const wanted = size > 0 ? this.wanted(this.beginning, 0, size, this.length) : this.length + 1;
    if (wanted > this.length) return step;
    const used = Math.max(wanted, before);
    const beginning = this.beginning.subarray(0, wanted);
    this.release();
    this.messageLeft = Math.max(0, size - used);
    if (wanted > 0) this.handler.read(beginning, size);
    else this.handler.pass?.();
    return at + used - before;
  }

  private wanted(bytes: Buffer, at: number, size: number, end: number): number {
    return Math.min(size, inspectorPendingBytes, this.handler.bytesToRead(bytes, at, size, end));
  }

  private keep(chunk: Buffer, from: number, to: number): void {
    const length = this.length + to - from;
    if (length > inspectorPendingBytes || to === from) {
      this.fault('message_too_long');
      return;
    }
    if (length > this.beginning.length) {
      const larger = Buffer.allocUnsafeSlow(
        Math.min(inspectorPendingBytes, Math.max(firstBytes, length, this.beginning.length * 2)),
      );
      this.beginning.copy(larger, 0, 0, this.length);
      this.beginning = larger;
    }
    chunk.copy(this.beginning, this.length, from, to);
    this.length = length;
  }

  private release(): void {
    this.length = 0;
    if (this.beginning.length > firstBytes) this.beginning = emptyBuffer;
  }
}

export function openMessages(open: (channel: Channel) => Handlers): InspectorSession {
  const report = createReport();
  const login = new LoginWait();
  const handlers = open({ ...report, login });
  const fault = (reason: string) => report.emit(violation(reason));
  const reader = (side: Side) => new Reader(handlers[side], fault, report.isDone);
  const readers = { client: reader('client'), server: reader('server') };
  const feed = (side: Side, chunk: Buffer) => {
    if (side === 'server') readers.server.feed(chunk);
    else login.note(chunk.length, readers.client.feed(chunk, login));
  };
  const session = report.session(
    feed,
    (side) => readers[side].unseen(),
    () => readers.client.heldBytes + readers.server.heldBytes,
  );
  const { awaitsTls } = handlers;
  return { ...session, login, ...(awaitsTls && { awaitsTls }) };
}

/** Returns a check: whether a client's first message is complete, has reached the buffer limit, or is invalid. */
export const hasFirst =
  (size: MessageHandler['size']) =>
  (first: Uint8Array): boolean => {
    if (first.length === 0) return false;
    const bytes = Buffer.from(first.buffer, first.byteOffset, first.byteLength);
    const whole = size(bytes, 0, bytes.length);
    return whole < 0 || first.length >= Math.min(whole || inspectorPendingBytes, inspectorPendingBytes);
  };

export const passAll: MessageHandler = { size: (_bytes, at, end) => end - at, bytesToRead: () => 0, read: () => {} };
