/**
 * TLS: the requested server name and the parameters, from the ClientHello. A server can request a second hello
 * (HelloRetryRequest, RFC 8446 4.1.4) and then uses the name in the second hello. So the second hello is checked too,
 * if the service has options.
 */
import { hash } from 'node:crypto';
import { Conversation } from '../framing/conversation.ts';
import { denied, fact, opaque, violation } from '../framing/events.ts';
import { type Channel, type MessageHandler, openMessages } from '../framing/messages.ts';
import { type ClientHello, parseClientHello } from '../framing/tls-hello.ts';
import { HelloRecords, isHelloDecided, recordHeaderBytes, recordTypes } from '../framing/tls-records.ts';
import type { Inspector, InspectorEvent } from '../inspector.ts';
import { ja4 } from './ja4.ts';
import { factsOf, refusalReason } from './rules.ts';

const serverHelloType = 2;
/** The random of a ServerHello that requests a second hello (RFC 8446 4.1.3). */
const retryRandom = hash('sha256', 'HelloRetryRequest', 'buffer');
const randomAt = recordHeaderBytes + 4 + 2; // after the header of the message and the version
const inspectedBytes = randomAt + retryRandom.length;

/**
 * Types of records to skip while the server's answer or a second hello is awaited. A server may warn of an unknown
 * name. A client may send early data and a change of ciphers without waiting.
 */
const undecidingRecords = {
  client: new Set<number | undefined>([recordTypes.changeCipherSpec, recordTypes.alert, recordTypes.applicationData]),
  server: new Set<number | undefined>([recordTypes.changeCipherSpec, recordTypes.alert]),
} as const;

const recordSize: MessageHandler['size'] = (bytes, at, end) =>
  end - at < recordHeaderBytes ? 0 : recordHeaderBytes + bytes.readUInt16BE(at + recordHeaderBytes - 2);

const isRetryRequest = (record: Buffer): boolean =>
  record[recordHeaderBytes] === serverHelloType && record.subarray(randomAt, inspectedBytes).equals(retryRandom);

class Tls extends Conversation<Channel> {
  private readonly options = this.context.service.tls;
  private records = new HelloRecords();
  private awaits: 'hello' | 'answer' | 'retry' = 'hello';
  /**
   * The relevant part of the first hello. Undefined before it was read. Its lists are dropped: they would use memory
   * until the server answers.
   */
  private first: Pick<ClientHello, 'serverName'> | undefined;

  readonly client: MessageHandler = {
    size: (bytes, at, end) => {
      if (this.awaits !== 'hello' && undecidingRecords.client.has(bytes[at])) return recordSize(bytes, at, end);
      // Refuse a second hello that comes before the server's request: the server's first record would not answer it.
      if (this.awaits === 'answer')
        return this.refuse(bytes[at] === recordTypes.handshake ? 'handshake_before_answer' : 'not_tls');
      this.awaits = 'hello';
      return this.readHello(bytes.subarray(at, end));
    },
    bytesToRead: () => 0,
    read: () => {},
  };

  readonly server: MessageHandler = {
    size: (bytes, at, end) => {
      if (!this.options) return Number.POSITIVE_INFINITY;
      if (this.awaits !== 'answer') return end - at;
      if (bytes[at] === recordTypes.handshake || undecidingRecords.server.has(bytes[at]))
        return recordSize(bytes, at, end);
      this.channel.emit(opaque('tls'));
      return -1;
    },
    bytesToRead: (bytes, at) => (this.awaits === 'answer' && bytes[at] === recordTypes.handshake ? inspectedBytes : 0),
    read: (beginning) => this.readAnswer(beginning),
  };

  private refuse(reason: string): number {
    this.channel.emit(violation(reason));
    return -1;
  }

  /** Reads the bytes as they arrive. Returns the number of bytes that belong to the hello. */
  private readHello(bytes: Buffer): number {
    this.channel.hold(-this.records.heldBytes);
    const outcome = this.records.feed(bytes);
    this.channel.hold(this.records.heldBytes);
    if (outcome.kind === 'fault') return this.refuse(outcome.reason);
    if (outcome.kind === 'more') return bytes.length;
    const hello = parseClientHello(outcome.body);
    if (!hello) return this.refuse('malformed_hello');
    const events = this.first ? this.checkSecond(hello, this.first) : this.checkFirst(hello);
    for (const event of events) this.channel.emit(event);
    return outcome.length;
  }

  private *checkFirst(hello: ClientHello): Generator<InspectorEvent> {
    const fingerprint = ja4(hello);
    yield* factsOf(hello, fingerprint);
    const reason = refusalReason(this.options, hello, fingerprint);
    if (reason !== undefined) yield denied(reason);
    else if (!this.options) yield opaque('tls');
    this.first = { serverName: hello.serverName };
    this.awaits = 'answer';
  }

  /** Checks a second hello. Few extensions may change (RFC 8446 4.1.2), so the facts of the first hello stay. */
  private *checkSecond(hello: ClientHello, { serverName }: Pick<ClientHello, 'serverName'>): Generator<InspectorEvent> {
    const fingerprint = ja4(hello);
    const reason = refusalReason(this.options, hello, fingerprint);
    if (reason !== undefined) {
      yield* factsOf(hello, fingerprint);
      yield denied(reason);
    } else if (hello.serverName === serverName) yield opaque('tls');
    else {
      yield fact('sni', hello.serverName ?? '');
      yield violation('server_name_changed');
    }
  }

  private readAnswer(record: Buffer): void {
    if (record.length < inspectedBytes) this.refuse('not_tls');
    else if (isRetryRequest(record)) {
      this.channel.hold(-this.records.heldBytes);
      this.records = new HelloRecords();
      this.awaits = 'retry';
    } else this.channel.emit(opaque('tls'));
  }
}

export const tls: Inspector = {
  isEnough: isHelloDecided,
  open: (context) => openMessages((channel) => new Tls(channel, context)),
};
