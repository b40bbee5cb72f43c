/** Minecraft, Java edition: the requested server name, the player, and the server's reply. These are in clear text. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { Conversation } from '../framing/conversation.ts';
import { Cursor, varintEnd } from '../framing/cursor.ts';
import { fact, login, opaque, violation } from '../framing/events.ts';
import { type Channel, hasFirst, type MessageHandler, openMessages, passAll } from '../framing/messages.ts';
import type { Inspector } from '../inspector.ts';

const lengthBytes = 3; // the length of a packet; other integers have up to 5 bytes
const numberBytes = 5;
const leastHandshake = 6; // packet 0, version, empty name, port, next state
const legacyPing = 0xfe;
const handshakePacket = 0;
const states = new Map([
  [1, 'status'],
  [2, 'login'],
  [3, 'transfer'],
]);

const loginReplies = { disconnect: 0, encryption: 1, success: 2, compression: 3 } as const;
/** Keys of texts that refuse a player. */
const refusalForm = /not_whitelisted|unverified_username|banned/;

const packetSize =
  (least: number, most: number) =>
  (bytes: Buffer, at: number, end: number): number => {
    const bodyAt = varintEnd(bytes, at, end, lengthBytes);
    if (bodyAt <= 0) return bodyAt;
    const length = new Cursor(bytes, at).varint(lengthBytes);
    return length >= least && length <= most ? bodyAt - at + length : -1;
  };
const clientPacketSize = packetSize(1, daemonBounds.inspectorPendingBytes - lengthBytes);
const handshakeSize = packetSize(leastHandshake, daemonBounds.inspectorPendingBytes - lengthBytes);
const serverPacketSize = packetSize(1, 2 ** (7 * lengthBytes) - 1);
const firstSize: MessageHandler['size'] = (bytes, at, end) =>
  bytes[at] === legacyPing ? 1 : handshakeSize(bytes, at, end);

const textIn = (cursor: Cursor) => cursor.read(cursor.varint(numberBytes)).toString('utf8');

class Minecraft extends Conversation<Channel> {
  private state: 'handshake' | 'login' | 'joining' = 'handshake';
  private user = '';

  readonly client: MessageHandler = {
    size: (bytes, at, end) => {
      if (this.state === 'handshake') return firstSize(bytes, at, end);
      return this.state === 'login' ? clientPacketSize(bytes, at, end) : passAll.size(bytes, at, end);
    },
    bytesToRead: (_bytes, _at, size) => (this.state === 'joining' ? 0 : size),
    read: (packet) => (this.state === 'handshake' ? this.readHandshake(packet) : this.readLogin(packet)),
  };

  readonly server: MessageHandler = {
    size: (bytes, at, end) => {
      if (this.state !== 'handshake') return serverPacketSize(bytes, at, end);
      this.channel.emit(violation('server_spoke_first'));
      return -1;
    },
    bytesToRead: () => daemonBounds.factBytes,
    read: (packet) => this.readReply(packet),
  };

  private readHandshake(packet: Buffer): void {
    if (packet[0] === legacyPing) {
      this.channel.emit(fact('next_state', 'legacy_ping'));
      this.channel.finish();
      return;
    }
    const cursor = new Cursor(packet);
    cursor.varint(lengthBytes);
    const kind = cursor.varint(numberBytes);
    const version = cursor.varint(numberBytes);
    const host = textIn(cursor).split('\0')[0] ?? ''; // mod loaders append their name after a NUL
    const port = cursor.number(2);
    const state = states.get(cursor.varint(numberBytes));
    if (kind !== handshakePacket || state === undefined || cursor.isOver) {
      this.channel.emit(violation('not_the_protocol'));
      return;
    }
    const facts = { version: String(version), host, port: String(port), next_state: state };
    for (const [name, value] of Object.entries(facts)) this.channel.emit(fact(name, value));
    if (state === 'status') this.channel.finish();
    else this.state = 'login';
  }

  private readLogin(packet: Buffer): void {
    const cursor = new Cursor(packet);
    cursor.varint(lengthBytes);
    const kind = cursor.varint(numberBytes);
    this.user = textIn(cursor);
    this.state = 'joining';
    if (kind !== 0 || cursor.isOver) this.channel.emit(violation('not_the_protocol'));
    else this.channel.emit(fact('user', this.user));
  }

  private readReply(packet: Buffer): void {
    const cursor = new Cursor(packet);
    cursor.varint(lengthBytes);
    const kind = cursor.varint(numberBytes);
    if (kind === loginReplies.encryption) this.channel.emit(opaque('encryption'));
    else if (kind === loginReplies.compression) this.channel.emit(opaque('compression'));
    else if (kind === loginReplies.success) {
      this.channel.emit(login('success', this.user));
      this.channel.finish();
    } else if (kind === loginReplies.disconnect) {
      if (refusalForm.test(textIn(cursor))) this.channel.emit(login('failure', this.user));
      this.channel.finish();
    }
  }
}

export const minecraft: Inspector = {
  isEnough: hasFirst(firstSize),
  open: (context) => openMessages((channel) => new Minecraft(channel, context)),
};
