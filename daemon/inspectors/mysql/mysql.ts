/** MySQL and MariaDB, protocol 10: the login and its result. Later packets are not inspected. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { Conversation } from '../framing/conversation.ts';
import { fact, login, opaque, violation } from '../framing/events.ts';
import { fingerprintOf } from '../framing/fingerprint.ts';
import { type Channel, type MessageHandler, openMessages } from '../framing/messages.ts';
import type { Inspector, InspectorContext } from '../inspector.ts';

const headBytes = 4; // a length in three bytes, and the number of the packet
const longestPacket = 1 << 20; // enough for certificates and tokens during a login
const protocolVersion = 10;

const capabilities = {
  connectWithDb: 1 << 3,
  compress: 1 << 5,
  protocol41: 1 << 9,
  ssl: 1 << 11,
  secureConnection: 1 << 15,
  pluginAuthLenenc: 1 << 21,
  zstd: 1 << 26,
} as const;
const sslRequestBytes = 32; // capabilities, largest packet, character set, reserved bytes
const userAt41 = headBytes + sslRequestBytes;
const userAt320 = headBytes + 5;

const kinds = { ok: 0x00, authMoreData: 0x01, authSwitch: 0xfe, error: 0xff } as const;

/**
 * Error codes of failed logins. A locked account (3118; 4151 in MariaDB) and too many connections (1226) are missing:
 * servers report them only after the right password.
 */
const refusalCodes = new Set([
  1045, // ER_ACCESS_DENIED_ERROR
  1698, // ER_ACCESS_DENIED_NO_PASSWORD_ERROR
  1873, // ER_ACCESS_DENIED_CHANGE_USER_ERROR
]);

/** The method that sends the password in clear text. */
const clearMethod = 'mysql_clear_password';

const packetSize = (bytes: Buffer, at: number, end: number): number => {
  if (end - at < 3) return 0;
  const size = bytes.readUIntLE(at, 3);
  return size > 0 && size <= longestPacket ? size + headBytes : -1;
};

/** The size of a packet with an answer of the client, which is empty for an empty password. */
const answerSize = (bytes: Buffer, at: number, end: number): number => {
  const size = end - at < 3 ? -1 : bytes.readUIntLE(at, 3);
  if (size < 0) return 0;
  return size <= longestPacket ? size + headBytes : -1;
};

function textAt(bytes: Buffer, at: number): string | undefined {
  const end = bytes.indexOf(0, at);
  return end < 0 ? undefined : bytes.toString('latin1', at, end);
}

/** The end of the response to the server's challenge. Undefined when it is truncated. */
function endOfAnswer(bytes: Buffer, at: number, flags: number): number | undefined {
  const length = bytes[at];
  if (length === undefined) return undefined;
  if ((flags & capabilities.pluginAuthLenenc) !== 0 && length === 0xfc && at + 3 <= bytes.length)
    return at + 3 + bytes.readUInt16LE(at + 1);
  if ((flags & (capabilities.pluginAuthLenenc | capabilities.secureConnection)) !== 0) return at + 1 + length;
  const end = bytes.indexOf(0, at);
  return end < 0 ? undefined : end + 1;
}

class MySql extends Conversation<Channel> {
  private hasGreeted = false;
  private offeredCapabilities = 0;
  private hasRequested = false;
  private flags = 0;
  private user = '';
  /** Whether the server has requested a password in clear text, which is the client's next packet. */
  private isPasswordNext = false;
  private fingerprint: string | undefined;

  constructor(channel: Channel, context: InspectorContext) {
    super(channel, context);
    channel.login.onAbandon = channel.finish; // a server accepts one login of a connection
  }

  readonly client: MessageHandler = {
    size: (bytes, at, end) => (this.hasRequested ? answerSize : packetSize)(bytes, at, end),
    bytesToRead: (_bytes, _at, size) => (!this.hasRequested || this.isClearPassword(size) ? size : 0),
    read: (packet) => (this.hasRequested ? this.readPassword(packet) : this.readRequest(packet)),
    pass: () => this.awaitOutcome(),
  };

  readonly server: MessageHandler = {
    size: packetSize,
    bytesToRead: (_bytes, _at, size) => (this.hasGreeted ? 64 : size),
    read: (packet) => (this.hasGreeted ? this.readReply(packet) : this.readGreeting(packet)),
  };

  private isClearPassword(size: number): boolean {
    return this.isPasswordNext && size <= daemonBounds.passwordBytes;
  }

  private readPassword(packet: Buffer): void {
    this.fingerprint = fingerprintOf(this.context, this.user, packet.toString('latin1', headBytes));
    this.awaitOutcome();
  }

  private awaitOutcome(): void {
    this.isPasswordNext = false;
    this.channel.login.begin(this.user);
  }

  private readGreeting(packet: Buffer): void {
    this.hasGreeted = true;
    if (packet[headBytes] === kinds.error) {
      this.channel.finish(); // an error instead of a greeting: too many connections, or a host that may not connect
      return;
    }
    const version = textAt(packet, headBytes + 1);
    const at = headBytes + 1 + (version ?? '').length + 1 + 4 + 8 + 1; // thread id, challenge and its NUL
    if (packet[headBytes] !== protocolVersion || version === undefined || at + 2 > packet.length) {
      this.channel.emit(opaque('unknown_version'));
      return;
    }
    this.offeredCapabilities = packet.readUInt16LE(at);
    if (at + 7 <= packet.length) this.offeredCapabilities |= packet.readUInt16LE(at + 5) << 16;
    this.channel.emit(fact('version', version));
  }

  private readRequest(packet: Buffer): void {
    this.hasRequested = true;
    if (!this.hasGreeted || packet.length < headBytes + 4) {
      this.channel.emit(violation(this.hasGreeted ? 'not_the_protocol' : 'client_spoke_first'));
      return;
    }
    this.flags = packet.readInt32LE(headBytes);
    const is41 = (this.flags & capabilities.protocol41) !== 0;
    if (!is41) this.flags &= 0xffff;
    if ((this.flags & this.offeredCapabilities & capabilities.ssl) !== 0) {
      this.channel.emit(opaque('tls'));
      return;
    }
    const at = is41 ? userAt41 : userAt320;
    this.user = textAt(packet, at) ?? '';
    this.channel.emit(fact('user', this.user));
    this.channel.login.begin(this.user);
    if (is41) this.reportDatabase(packet, packet.indexOf(0, at) + 1);
  }

  private reportDatabase(packet: Buffer, at: number): void {
    if ((this.flags & capabilities.connectWithDb) === 0) return;
    const end = endOfAnswer(packet, at, this.flags);
    const database = end === undefined ? undefined : textAt(packet, end);
    if (database) this.channel.emit(fact('database', database));
  }

  /** Reads an outcome, or data of the method: caching_sha2_password reports whether it has cached the user. */
  private readReply(packet: Buffer): void {
    const kind = packet[headBytes];
    if (kind === kinds.authSwitch || kind === kinds.authMoreData) this.channel.login.end(); // the client continues
    if (kind === kinds.authSwitch) this.switchMethod(textAt(packet, headBytes + 1) ?? 'old');
    else if (kind === kinds.error) this.concludeRefusal(packet);
    else if (kind === kinds.ok) {
      this.channel.emit(login('success', this.user));
      this.channel.finish();
    }
  }

  private switchMethod(method: string): void {
    this.channel.emit(fact('auth_method', method));
    this.fingerprint = undefined;
    this.isPasswordNext = method === clearMethod;
  }

  private concludeRefusal(packet: Buffer): void {
    const code = packet.length >= headBytes + 3 ? packet.readUInt16LE(headBytes + 1) : 0;
    if (refusalCodes.has(code)) this.channel.emit(login('failure', this.user, this.fingerprint));
    this.channel.finish();
  }
}

export const mysql: Inspector = { open: (context) => openMessages((channel) => new MySql(channel, context)) };
