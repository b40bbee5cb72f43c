/**
 * MongoDB: logins in clear text (OP_MSG, OP_QUERY) and their replies. Inspected until a login succeeds. Drivers do not
 * compress logins.
 */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { Conversation } from '../framing/conversation.ts';
import { fact, login } from '../framing/events.ts';
import { InFlight } from '../framing/in-flight.ts';
import { type Channel, type MessageHandler, openMessages } from '../framing/messages.ts';
import { hasFirstOrHello, orTls } from '../framing/or-tls.ts';
import { isPasswordless } from '../framing/sasl.ts';
import type { Inspector } from '../inspector.ts';
import { isParsed, type LoginCommand, readAnswer, readCommand } from './commands.ts';

const headerBytes = 16;
/** Enough for the flags, a collection name such as admin.$cmd, and the first key of the document. */
const peekedBytes = headerBytes + 48;
const requestIdAt = 4;
const responseToAt = 8;
const opcodeAt = 12;
const opcodes = { reply: 1, query: 2004, compressed: 2012, message: 2013 } as const;
/** Codes of operations without a login command. Servers before 6.0 accept them. */
const otherOpcodes: ReadonlySet<number> = new Set([1000, 2001, 2002, 2005, 2006, 2007, 2010, 2011]);
const knownOpcodes: ReadonlySet<number> = new Set([...Object.values(opcodes), ...otherOpcodes]);

const bodySection = 0;
const flagBytes = 4;
const sectionsAt = headerBytes + flagBytes;
const sectionHeadBytes = 5; // kind, length
const queryNumbersBytes = 8; // numberToSkip, numberToReturn
const replyBytes = 20; // flags, cursor, position, number of documents

const tlsHandshake = 0x16;

const messageSize: MessageHandler['size'] = (bytes, at, end) => {
  if (end - at < headerBytes) return 0;
  const length = bytes.readInt32LE(at);
  const isMessage = length >= headerBytes && length <= daemonBounds.mongodbMessageBytes;
  if (!isMessage || !knownOpcodes.has(bytes.readInt32LE(at + opcodeAt))) return -1;
  return end - at < Math.min(length, peekedBytes) ? 0 : length;
};

/** Whether a connection starts with TLS. A message may start with the same byte, so the whole header decides. */
const beginsTls = (bytes: Buffer, at: number, end: number): boolean =>
  bytes[at] === tlsHandshake && messageSize(bytes, at, end) < 0;

/** The offset of the document with the command or the reply. Undefined when it is not available. */
function documentAt(message: Buffer): number | undefined {
  const opcode = message.readInt32LE(opcodeAt);
  if (opcode === opcodes.reply) return headerBytes + replyBytes;
  if (opcode === opcodes.message) return bodyAt(message);
  if (opcode !== opcodes.query) return undefined;
  const end = message.indexOf(0, headerBytes + flagBytes);
  return end < 0 ? undefined : end + 1 + queryNumbersBytes;
}

/** The offset of the body section. A document sequence may precede it. */
function bodyAt(message: Buffer): number | undefined {
  let at = sectionsAt;
  while (at + sectionHeadBytes <= message.length) {
    if (message[at] === bodySection) return at + 1;
    at += 1 + Math.max(4, message.readUInt32LE(at + 1));
  }
  return undefined;
}

/** Whether documents precede the command, as in messages of mongos and the shell in C++. */
const beginsWithDocuments = (bytes: Buffer, at: number, end: number): boolean =>
  end - at > sectionsAt &&
  messageSize(bytes, at, end) >= 0 &&
  bytes.readInt32LE(at) > sectionsAt &&
  bytes.readInt32LE(at + opcodeAt) === opcodes.message &&
  bytes[at + sectionsAt] !== bodySection;

/** Whether the message may contain a login command. If the document comes first, its first key decides. */
function isWorthReading(bytes: Buffer, at: number, end: number): boolean {
  const opcode = bytes.readInt32LE(at + opcodeAt);
  if (opcode === opcodes.query) return true;
  if (opcode !== opcodes.message) return false;
  const from = at + sectionsAt;
  if (bytes[from] !== bodySection) return true;
  const keyAt = from + 1 + 4 + 1;
  const keyEnd = bytes.indexOf(0, keyAt);
  return keyEnd >= 0 && keyEnd < Math.min(end, at + peekedBytes) && isParsed(bytes.toString('latin1', keyAt, keyEnd));
}

class MongoDb extends Conversation<Channel> {
  private user: string | undefined;
  private mechanism: string | undefined;
  private reportedLogins = 0;
  private readonly pendingLogins = new InFlight<number, LoginCommand>(this.channel);

  /** The state of a message that starts with documents. Sections are read one by one: only the command is kept. */
  private sections = { requestId: 0, left: 0, next: 0 };
  /** Whether the current message contains a login. */
  private hasLogin = false;

  readonly client: MessageHandler = {
    size: (bytes, at, end) => {
      if (this.sections.left > 0) return this.sectionSize(bytes, at, end);
      return beginsWithDocuments(bytes, at, end) ? sectionsAt : messageSize(bytes, at, end);
    },
    bytesToRead: (bytes, at, whole, end) => (this.isWanted(bytes, at, end) ? whole : 0),
    read: (beginning, whole) => {
      if (this.sections.left > 0) this.readSection(beginning);
      else this.readRequest(beginning, whole);
    },
    pass: () => this.passSection(),
  };

  /** Makes the client wait when its message with a login has ended. */
  private awaitOutcome(): void {
    if (!this.hasLogin || this.sections.left > 0) return;
    this.hasLogin = false;
    this.channel.login.begin(this.user, !isPasswordless(this.mechanism));
  }

  readonly server: MessageHandler = {
    size: messageSize,
    bytesToRead: (bytes, at, whole) => (this.pendingLogins.has(bytes.readInt32LE(at + responseToAt)) ? whole : 0),
    read: (message) => this.readReply(message),
  };

  private isWanted(bytes: Buffer, at: number, end: number): boolean {
    if (this.sections.left > 0) return this.sections.left > sectionHeadBytes && bytes[at] === bodySection;
    return isWorthReading(bytes, at, end);
  }

  /** The size of the next section. Remaining bytes that are too short for a section are a checksum. */
  private sectionSize(bytes: Buffer, at: number, end: number): number {
    const { left } = this.sections;
    if (left > sectionHeadBytes && end - at < sectionHeadBytes) return 0;
    const length = left > sectionHeadBytes ? 1 + Math.max(4, bytes.readUInt32LE(at + 1)) : left;
    this.sections.next = Math.min(left, length);
    return this.sections.next;
  }

  private passSection(): void {
    this.sections.left -= Math.min(this.sections.left, this.sections.next);
    this.awaitOutcome();
  }

  private readSection(body: Buffer): void {
    this.beginCommand(body.subarray(1), this.sections.requestId);
    this.passSection();
  }

  private readRequest(message: Buffer, read: number): void {
    const requestId = message.readInt32LE(requestIdAt);
    const left = message.readInt32LE(0) - read;
    if (left > 0) this.sections = { requestId, left, next: 0 };
    const at = documentAt(message);
    if (at !== undefined) this.beginCommand(message.subarray(at), requestId);
    this.awaitOutcome();
  }

  private beginCommand(document: Buffer, id: number): void {
    const command = readCommand(document, this.context);
    if (!command) return;
    this.user = command.user ?? this.user;
    this.mechanism = command.mechanism ?? this.mechanism;
    this.pendingLogins.add(id, { ...command, user: this.user, mechanism: this.mechanism });
    this.hasLogin = true;
    this.reportedLogins += 1;
    if (this.reportedLogins <= daemonBounds.repeatedFacts) this.reportLogin(command);
  }

  private reportLogin({ mechanism, user, database }: LoginCommand): void {
    if (mechanism !== undefined) this.channel.emit(fact('mechanism', mechanism));
    if (user !== undefined) this.channel.emit(fact('user', user));
    if (database !== undefined && user !== undefined) this.channel.emit(fact('database', database));
  }

  private readReply(message: Buffer): void {
    const number = message.readInt32LE(responseToAt);
    const command = this.pendingLogins.remove(number);
    if (command) this.channel.login.end();
    const at = documentAt(message);
    if (!command || at === undefined) return;
    const answer = readAnswer(message.subarray(at), command.isSpeculative);
    if (answer !== 'success' && (answer !== 'failure' || isPasswordless(command.mechanism))) return;
    this.channel.emit(login(answer, command.user, answer === 'failure' ? command.fingerprint : undefined));
    if (answer === 'success') this.channel.finish();
  }
}

export const mongodb: Inspector = {
  isEnough: hasFirstOrHello(messageSize, beginsTls),
  open: (context) => openMessages((channel) => orTls(channel, new MongoDb(channel, context), { beginsTls })),
};
