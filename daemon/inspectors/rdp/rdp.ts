/** RDP: the connection request ([MS-RDPBCGR] 2.2.1.1) and its security protocol. Later bytes are not inspected. */
import { Conversation } from '../framing/conversation.ts';
import { Cursor } from '../framing/cursor.ts';
import { fact, opaque, violation } from '../framing/events.ts';
import { type Channel, hasFirst, type MessageHandler, openMessages } from '../framing/messages.ts';
import type { Inspector } from '../inspector.ts';

const tpktVersion = 3;
const tpktBytes = 4;
const x224Bytes = 7; // length, code, two references, class
const longestUnit = tpktBytes + 1 + 254; // the length of X.224 is one byte, and 255 is reserved
const codes = { request: 0xe0, confirm: 0xd0 } as const;
const negotiation = { request: 1, response: 2, failure: 3 } as const;
const negotiationBytes = 8;

/** Security protocols by their bits. A client offers several, and the server selects one. */
const protocols: readonly (readonly [bit: number, name: string])[] = [
  [1, 'tls'],
  [2, 'credssp'],
  [4, 'rdstls'],
  [8, 'credssp_ex'],
  [16, 'aad'],
];
const standardProtocol = 'rdp'; // used when no bit is set

const namesOf = (bits: number): string =>
  protocols.flatMap(([bit, name]) => ((bits & bit) === 0 ? [] : [name])).join(' ') || standardProtocol;

const unitSize =
  (code: number) =>
  (bytes: Buffer, at: number, end: number): number => {
    if (bytes[at] !== tpktVersion) return -1;
    if (end - at < tpktBytes + 2) return 0;
    const size = bytes.readUInt16BE(at + 2);
    const isUnit = size >= tpktBytes + x224Bytes && size <= longestUnit && bytes[at + 4] === size - tpktBytes - 1;
    return isUnit && ((bytes[at + 5] ?? 0) & 0xf0) === code ? size : -1;
  };

const lineEnd = '\r\n';
const userForm = /^Cookie: mstshash=(.*)$/s;

class Rdp extends Conversation<Channel> {
  private hasRequested = false;

  readonly client: MessageHandler = {
    size: (bytes, at, end) => {
      if (!this.hasRequested) return unitSize(codes.request)(bytes, at, end);
      this.channel.emit(violation('client_did_not_wait'));
      return -1;
    },
    bytesToRead: (_bytes, _at, size) => size,
    read: (unit) => this.readRequest(unit),
  };

  readonly server: MessageHandler = {
    size: unitSize(codes.confirm),
    bytesToRead: (_bytes, _at, size) => size,
    read: (unit) => this.readConfirm(unit),
  };

  private readRequest(unit: Buffer): void {
    this.hasRequested = true;
    let at = tpktBytes + x224Bytes;
    const end = unit.indexOf(lineEnd, at);
    if (end >= 0) {
      const line = unit.toString('latin1', at, end);
      const user = userForm.exec(line)?.[1];
      this.channel.emit(user === undefined ? fact('routing_token', line) : fact('user', user));
      at = end + lineEnd.length;
    }
    this.channel.emit(fact('offered', namesOf(bitsOf(unit, at, negotiation.request) ?? 0)));
  }

  private readConfirm(unit: Buffer): void {
    const at = tpktBytes + x224Bytes;
    const refused = bitsOf(unit, at, negotiation.failure);
    if (!this.hasRequested) this.channel.emit(violation('server_spoke_first'));
    else if (refused === undefined) this.channel.emit(opaque(namesOf(bitsOf(unit, at, negotiation.response) ?? 0)));
    else {
      this.channel.emit(fact('negotiation_failure', String(refused)));
      this.channel.finish();
    }
  }
}

/** The value of a negotiation of this kind. Undefined when it is absent. */
function bitsOf(unit: Buffer, at: number, kind: number): number | undefined {
  const cursor = new Cursor(unit, at);
  if (cursor.left < negotiationBytes || cursor.number(1) !== kind) return undefined;
  cursor.skip(3); // flags, length
  return cursor.read(4).readUInt32LE();
}

export const rdp: Inspector = {
  isEnough: hasFirst(unitSize(codes.request)),
  open: (context) => openMessages((channel) => new Rdp(channel, context)),
};
