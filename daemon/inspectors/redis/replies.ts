/** Counts Redis replies and reads their errors. Values are skipped by their lengths. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { violation } from '../framing/events.ts';
import { type Channel, type MessageHandler, passAll } from '../framing/messages.ts';
import { bulkSize, headEnd, lineSize, numberIn, types } from './form.ts';

export interface ReplyHandler {
  /** Called when a reply is complete. `text`: a simple string or an error with its sign. Empty for values. */
  readonly reply: (text: string) => void;
  readonly nestedError: (text: string) => void;
}

const textBytes = 128; // error codes come first
const bulkTypes: ReadonlySet<number> = new Set([types.bulk, types.bulkError, types.verbatim]);
const textTypes: ReadonlySet<number> = new Set([types.simple, types.error]);
const aggregateTypes = new Map<number, number>([
  [types.array, 1],
  [types.set, 1],
  [types.push, 1],
  [types.map, 2],
  [types.attribute, 2],
]);
const scalarTypes: ReadonlySet<number> = new Set(Array.from(':_#,(', (sign) => sign.charCodeAt(0)));

interface OpenElement {
  left: number;
  /** Whether this element counts as an element of its parent. Push data and attributes do not. */
  readonly isCounted: boolean;
}

export class Replies implements MessageHandler {
  private readonly channel: Channel;
  private readonly handler: ReplyHandler;
  private readonly openElements: OpenElement[] = [];
  private isReplicating = false;

  constructor(channel: Channel, handler: ReplyHandler) {
    this.channel = channel;
    this.handler = handler;
  }

  readonly size = (bytes: Buffer, at: number, end: number): number => {
    const type = bytes[at] ?? 0;
    if (this.isReplicating) return passAll.size(bytes, at, end);
    if (bulkTypes.has(type)) return bulkSize(bytes, at, end, Number.MAX_SAFE_INTEGER);
    if (textTypes.has(type) || scalarTypes.has(type)) return lineSize(bytes, at, end);
    if (!aggregateTypes.has(type)) return -1;
    const next = headEnd(bytes, at, end);
    return next > 0 ? next - at : next;
  };

  readonly bytesToRead = (bytes: Buffer, at: number, size: number): number => {
    const type = bytes[at] ?? 0;
    if (this.isReplicating || scalarTypes.has(type)) return 0;
    if (aggregateTypes.has(type)) return size;
    return textTypes.has(type) || type === types.bulkError ? Math.min(size, textBytes) : 0;
  };

  readonly pass = (): void => {
    if (!this.isReplicating) this.endElement('');
  };

  readonly read = (beginning: Buffer): void => {
    const type = beginning[0] ?? 0;
    const perEntry = aggregateTypes.get(type);
    if (perEntry !== undefined) this.beginElement(type, perEntry * numberIn(beginning, 0, beginning.length));
    else this.endElement(textOf(beginning));
  };

  private beginElement(type: number, left: number): void {
    const isCounted = type !== types.push && type !== types.attribute;
    this.openElements.push({ left: Math.max(0, left), isCounted });
    if (this.openElements.length > daemonBounds.redisReplyDepth) this.channel.emit(violation('reply_too_deep'));
    this.completeElements();
  }

  private endElement(text: string): void {
    if (this.openElements.length === 0) {
      this.isReplicating = /^\+(?:FULLRESYNC|CONTINUE)\b/.test(text); // a stream of commands follows
      this.handler.reply(text);
      return;
    }
    if (text.startsWith('-')) this.handler.nestedError(text);
    this.countElement();
  }

  private countElement(): void {
    const inner = this.openElements.at(-1);
    if (inner) inner.left -= 1;
    this.completeElements();
  }

  /** Closes the open elements without remaining entries, the innermost first. */
  private completeElements(): void {
    for (let inner = this.openElements.at(-1); inner && inner.left === 0; inner = this.openElements.at(-1)) {
      this.openElements.pop();
      const outer = this.openElements.at(-1);
      if (!inner.isCounted) continue;
      if (outer) outer.left -= 1;
      else this.handler.reply('');
    }
  }
}

/** The text of a simple string or an error. The text of a bulk error follows its head. */
function textOf(beginning: Buffer): string {
  const isBulk = beginning[0] === types.bulkError;
  const from = isBulk ? headEnd(beginning, 0, beginning.length) : 1;
  const sign = beginning[0] === types.simple ? '+' : '-';
  return sign + beginning.toString('latin1', from).trimEnd();
}
