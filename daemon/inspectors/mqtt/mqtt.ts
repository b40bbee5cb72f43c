/** MQTT 3.1, 3.1.1 and 5: CONNECT and the broker's CONNACK. Later packets are not inspected. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { Conversation } from '../framing/conversation.ts';
import { Cursor, varintEnd } from '../framing/cursor.ts';
import { denied, fact, login, violation } from '../framing/events.ts';
import { fingerprintOf } from '../framing/fingerprint.ts';
import { type Channel, type MessageHandler, openMessages, passAll } from '../framing/messages.ts';
import { hasFirstOrHello, orTls } from '../framing/or-tls.ts';
import type { Inspector, InspectorContext } from '../inspector.ts';
import { authenticationMethod, skipProperties } from './properties.ts';

const connectType = 0x10;
const connackType = 0x20;
const authType = 0xf0;
const lengthBytes = 4;

/** Protocol names and their versions. A bridge sets the highest bit of the version. */
const protocolVersions = new Map([
  ['MQIsdp', [3]],
  ['MQTT', [4, 5]],
]);

const version5 = 5;
/** Reason codes of a failed login: bad user name or password, or not authorized. */
const refusalCodes = { before5: new Set([4, 5]), from5: new Set([0x86, 0x87]) } as const;

const flags = { userName: 0x80, password: 0x40, will: 0x04, reserved: 0x01 } as const;

function packetSize(bytes: Buffer, at: number, end: number): number {
  const bodyAt = varintEnd(bytes, at + 1, end, lengthBytes);
  if (bodyAt <= 0) return bodyAt;
  const length = new Cursor(bytes, at + 1).varint(lengthBytes);
  return length <= daemonBounds.mqttPacketBytes ? bodyAt - at + length : -1;
}

const connectSize = (bytes: Buffer, at: number, end: number): number =>
  bytes[at] === connectType ? packetSize(bytes, at, end) : -1;

class Mqtt extends Conversation<Channel> {
  private readonly deniesAnonymous = this.context.service.mqtt?.deny_anonymous ?? false;
  private isConnecting = false;
  private version = 0;
  private user: string | undefined;
  private fingerprint: string | undefined;
  /** Whether the client sent neither a user name nor an authentication method. Its refusal is not a failed login. */
  private isAnonymous = true;

  constructor(channel: Channel, context: InspectorContext) {
    super(channel, context);
    channel.login.onAbandon = channel.finish; // a broker accepts one CONNECT of a connection
  }

  readonly client: MessageHandler = {
    size: (bytes, at, end) => {
      if (!this.isConnecting) return connectSize(bytes, at, end);
      return (this.isAnonymous ? passAll.size : packetSize)(bytes, at, end);
    },
    bytesToRead: (_bytes, _at, size) => (this.isConnecting ? 0 : size),
    read: (packet, size) => this.readConnect(packet, size),
    pass: () => this.awaitOutcome(),
  };

  readonly server: MessageHandler = {
    size: (bytes, at, end) => {
      if (bytes[at] === connackType || bytes[at] === authType) return packetSize(bytes, at, end);
      return -1;
    },
    bytesToRead: (bytes, at, size) => (bytes[at] === connackType ? Math.min(size, 1 + lengthBytes + 2) : 0),
    read: (packet) => this.readConnack(packet),
    pass: () => this.channel.login.end(), // AUTH of version 5, which the client answers
  };

  private awaitOutcome(): void {
    if (!this.isAnonymous) this.channel.login.begin(this.user);
  }

  private readConnect(packet: Buffer, size: number): void {
    this.isConnecting = true;
    const cursor = new Cursor(packet, 1);
    cursor.varint(lengthBytes);
    const name = cursor.text(cursor.number(2));
    this.version = cursor.number(1) & 0x7f;
    const set = cursor.number(1);
    cursor.skip(2); // keep alive
    if (!protocolVersions.get(name)?.includes(this.version) || (set & flags.reserved) !== 0) {
      this.channel.emit(violation('not_the_protocol'));
      return;
    }
    this.channel.emit(fact('version', String(this.version)));
    const method = this.version === version5 ? authenticationMethod(cursor) : undefined;
    this.isAnonymous = (set & flags.userName) === 0 && method === undefined;
    this.readPayload(cursor, set);
    if (cursor.isOver && size === packet.length) this.channel.emit(violation('malformed_packet'));
    else if (this.deniesAnonymous && this.isAnonymous) this.channel.emit(denied('anonymous'));
    this.awaitOutcome();
  }

  private readPayload(cursor: Cursor, set: number): void {
    this.channel.emit(fact('client_id', cursor.text(cursor.number(2))));
    if ((set & flags.will) !== 0) {
      if (this.version === version5) skipProperties(cursor);
      cursor.skip(cursor.number(2)); // topic
      cursor.skip(cursor.number(2)); // message
    }
    if ((set & flags.userName) === 0) return;
    const user = cursor.text(cursor.number(2));
    if (cursor.isOver) return;
    this.user = user;
    this.channel.emit(fact('user', user));
    if ((set & flags.password) === 0) return;
    const password = cursor.text(cursor.number(2));
    if (!cursor.isOver) this.fingerprint = fingerprintOf(this.context, user, password);
  }

  private readConnack(packet: Buffer): void {
    const cursor = new Cursor(packet, 1);
    cursor.varint(lengthBytes);
    cursor.skip(1); // session present
    const code = cursor.number(1);
    if (cursor.isOver || !this.isConnecting) this.channel.emit(violation('not_the_protocol'));
    else if (!this.isAnonymous && refusalCodes[this.version === version5 ? 'from5' : 'before5'].has(code))
      this.channel.emit(login('failure', this.user, this.fingerprint));
    else if (code === 0 && this.user !== undefined) this.channel.emit(login('success', this.user));
    this.channel.finish();
  }
}

export const mqtt: Inspector = {
  isEnough: hasFirstOrHello(connectSize),
  open: (context) => openMessages((channel) => orTls(channel, new Mqtt(channel, context))),
};
