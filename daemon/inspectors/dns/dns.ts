/** DNS over TCP (RFC 1035 4.2.2, RFC 7766). Reports the questions and refuses configured query types. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { typeName, typeNumber } from '../../../contract/daemon/record-types.ts';
import { Conversation } from '../framing/conversation.ts';
import { Cursor } from '../framing/cursor.ts';
import { denied, fact, violation } from '../framing/events.ts';
import { type Channel, hasFirst, type MessageHandler, openMessages, passAll } from '../framing/messages.ts';
import type { Inspector } from '../inspector.ts';

const headerBytes = 12;
const responseFlag = 0x8000;
const queryOpcode = 0;
const pointerBits = 0xc0;
const longestName = 255;

const messageSize = (bytes: Buffer, at: number, end: number): number => {
  if (end - at < 2) return 0;
  const length = bytes.readUInt16BE(at);
  return length >= headerBytes ? length + 2 : -1;
};

/**
 * Reads a name and formats it as in a zone file: dots and backslashes in labels are escaped (RFC 1035 5.1). Undefined
 * when it is invalid.
 */
function readName(cursor: Cursor): string | undefined {
  const labels: string[] = [];
  const from = cursor.at;
  for (let length = cursor.number(1); length !== 0; length = cursor.number(1)) {
    if (length >= pointerBits || length > 63) return undefined;
    labels.push(cursor.text(length).replace(/[.\\]/g, '\\$&'));
    if (cursor.isOver || cursor.at - from > longestName) return undefined;
  }
  return cursor.isOver ? undefined : labels.join('.') || '.';
}

class Dns extends Conversation<Channel> {
  private readonly deniedTypes: ReadonlySet<number | undefined> = new Set(
    this.context.service.dns?.deny_types.map(typeNumber),
  );
  private reportedQuestions = 0;

  readonly client: MessageHandler = {
    size: messageSize,
    bytesToRead: (_bytes, _at, size) => Math.min(size, 2 + headerBytes + longestName + 4),
    read: (message) => this.readQuery(message),
  };

  readonly server = passAll;

  private readQuery(message: Buffer): void {
    const cursor = new Cursor(message, 4);
    const head = cursor.number(2);
    const questions = cursor.number(2);
    const isQuery = ((head >>> 11) & 0xf) === queryOpcode;
    if ((head & responseFlag) !== 0) this.channel.emit(violation('response_from_client'));
    else if (isQuery && questions > 1)
      this.channel.emit(violation('several_questions')); // RFC 9619
    else if (questions > 0) this.readQuestion(new Cursor(message, 2 + headerBytes));
  }

  private readQuestion(cursor: Cursor): void {
    const name = readName(cursor);
    const type = cursor.number(2);
    if (name === undefined || cursor.isOver) {
      this.channel.emit(violation('malformed_question'));
      return;
    }
    const isDenied = this.deniedTypes.has(type);
    if (this.reportedQuestions < daemonBounds.repeatedFacts || isDenied)
      this.channel.emit(fact('query', `${typeName(type)} ${name}`));
    this.reportedQuestions += 1;
    if (isDenied) this.channel.emit(denied('record_type'));
  }
}

export const dns: Inspector = {
  isEnough: hasFirst(messageSize),
  open: (context) => openMessages((channel) => new Dns(channel, context)),
};
