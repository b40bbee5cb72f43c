/** PostgreSQL, protocol 3: the login and its result. Later messages are not inspected. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { Conversation } from '../framing/conversation.ts';
import { fact, login, opaque, violation } from '../framing/events.ts';
import { fingerprintOf } from '../framing/fingerprint.ts';
import { type Channel, type MessageHandler, openMessages } from '../framing/messages.ts';
import { hasFirstOrHello, orTls } from '../framing/or-tls.ts';
import type { Inspector, InspectorContext } from '../inspector.ts';

const requests = new Map([
  [80877102, { name: 'cancel', least: 12, most: 268 }], // a cancel key has up to 256 bytes since protocol 3.2
  [80877103, { name: 'ssl', least: 8, most: 8 }],
  [80877104, { name: 'gssapi', least: 8, most: 8 }],
]);
const startupRequest = { name: 'startup', least: 9, most: 10_000 }; // MAX_STARTUP_PACKET_LENGTH of the server
const protocolMajor = 3;
const headBytes = 8;

const requestOf = (code: number) => requests.get(code) ?? (code >>> 16 === protocolMajor ? startupRequest : undefined);

function requestSize(bytes: Buffer, at: number, end: number): number {
  if (end - at < headBytes) return bytes[at] === 0 ? 0 : -1;
  const size = bytes.readInt32BE(at);
  const request = requestOf(bytes.readInt32BE(at + 4));
  return request && size >= request.least && size <= request.most ? size : -1;
}

const authSteps = { ok: 0, gssContinue: 8, saslContinue: 11, saslFinal: 12 } as const;
/** Further steps that the client answers. */
const answeredSteps: ReadonlySet<number> = new Set([authSteps.gssContinue, authSteps.saslContinue]);
const authMethods = new Map([
  [2, 'kerberos5'],
  [3, 'password'],
  [5, 'md5'],
  [7, 'gssapi'],
  [9, 'sspi'],
  [10, 'sasl'],
]);
/** Methods that ask for a password. Tickets and certificates cannot be guessed. */
const passwordMethods: ReadonlySet<string | undefined> = new Set(['password', 'md5', 'sasl']);
const tokenMechanism = 'OAUTHBEARER';

/** Types of messages that a server sends before it is ready. Value: the number of bytes that are read. */
const wantedBytes = new Map(
  Object.entries({ R: 64, E: 512, Z: 5, N: 0, S: 0, K: 0, v: 0 }).map(([type, bytes]) => [type.charCodeAt(0), bytes]),
);
const passwordType = 'p'.charCodeAt(0);
const longestMessage = 1 << 20; // a notice during a login has some hundred bytes

function messageSize(bytes: Buffer, at: number, end: number): number {
  if (end - at < 5) return 0;
  const size = bytes.readUInt32BE(at + 1);
  return size >= 4 && size <= longestMessage ? size + 1 : -1;
}

const parseTexts = (bytes: Buffer): string[] => bytes.toString('latin1').split('\0');

/** SQLSTATE invalid_authorization_specification, also for a password that LDAP or PAM refuses, and invalid_password. */
const refusalForm = /^28[0-9A-Z]{3}$/;
/** PgBouncer reports every error with the SQLSTATE protocol_violation. Before 1.16 the text was shorter. */
const poolerCode = '08P01';
const poolerRefusalForm = /^(?:(?:password|SASL|PAM|LDAP) authentication failed|auth failed$)/;

function isRefusal(error: Buffer): boolean {
  const fields = new Map(parseTexts(error).map((field) => [field.slice(0, 1), field.slice(1)]));
  const code = fields.get('C') ?? '';
  return refusalForm.test(code) || (code === poolerCode && poolerRefusalForm.test(fields.get('M') ?? ''));
}

class Postgres extends Conversation<Channel> {
  private awaits: 'request' | 'encryption' | 'server' | 'password' = 'request';
  private requestedEncryption = '';
  private user = '';
  private database = '';
  private fingerprint: string | undefined;
  /**
   * Whether the server has requested a password and not accepted it. Other errors are not about the password: the
   * rules for the client's address, or a role that does not exist or may not log in.
   */
  private isPasswordPending = false;

  constructor(channel: Channel, context: InspectorContext) {
    super(channel, context);
    channel.login.onAbandon = channel.finish; // a server accepts one login of a connection
  }

  readonly client: MessageHandler = {
    size: (bytes, at, end) => {
      if (this.awaits === 'request') return requestSize(bytes, at, end);
      if (this.awaits !== 'encryption') return messageSize(bytes, at, end);
      this.channel.emit(violation('clear_bytes_behind_ssl_request'));
      return -1;
    },
    bytesToRead: (bytes, at, size) => (this.awaits === 'request' || this.isPassword(bytes, at, size) ? size : 0),
    read: (message) => (this.awaits === 'password' ? this.readPassword(message) : this.readRequest(message)),
    pass: () => this.awaitOutcome(),
  };

  readonly server: MessageHandler = {
    size: (bytes, at, end) => {
      if (this.awaits === 'encryption') return 1;
      return wantedBytes.has(bytes[at] ?? 0) ? messageSize(bytes, at, end) : -1;
    },
    bytesToRead: (bytes, at) => (this.awaits === 'encryption' ? 1 : (wantedBytes.get(bytes[at] ?? 0) ?? 0)),
    read: (message) => (this.awaits === 'encryption' ? this.readEncryptionReply(message) : this.readMessage(message)),
  };

  /** Whether a message contains the password in clear text. Others are passed without being read. */
  private isPassword(bytes: Buffer, at: number, size: number): boolean {
    return this.awaits === 'password' && bytes[at] === passwordType && size <= daemonBounds.passwordBytes;
  }

  private readPassword(message: Buffer): void {
    this.fingerprint = fingerprintOf(this.context, this.user, this.database, message.toString('latin1'));
    this.awaitOutcome();
  }

  private awaitOutcome(): void {
    this.awaits = 'server';
    this.channel.login.begin(this.user, this.isPasswordPending);
  }

  private readRequest(message: Buffer): void {
    const { name } = requestOf(message.readInt32BE(4)) ?? startupRequest;
    if (name === 'cancel') {
      this.channel.emit(fact('request', name));
      this.channel.finish();
    } else if (name === 'startup') this.readStartup(message);
    else {
      this.requestedEncryption = name;
      this.awaits = 'encryption';
    }
  }

  private readStartup(message: Buffer): void {
    this.awaits = 'server';
    this.channel.login.hold(); // a server that requests no password judges the name
    this.channel.emit(fact('version', `${message.readUInt16BE(4)}.${message.readUInt16BE(6)}`));
    const texts = parseTexts(message.subarray(headBytes));
    const named = new Map<string, string>();
    for (let index = 0; index + 1 < texts.length && texts[index]; index += 2)
      named.set(texts[index] ?? '', texts[index + 1] ?? ''); // the server also uses the last of several equal names
    this.user = named.get('user') ?? '';
    this.database = named.get('database') ?? '';
    for (const name of ['user', 'database']) if (named.has(name)) this.channel.emit(fact(name, named.get(name) ?? ''));
  }

  private readEncryptionReply(answer: Buffer): void {
    const letter = String.fromCharCode(answer[0] ?? 0);
    if (letter === (this.requestedEncryption === 'ssl' ? 'S' : 'G'))
      this.channel.emit(opaque(this.requestedEncryption === 'ssl' ? 'tls' : 'gssapi'));
    else if (letter === 'N') this.awaits = 'request';
    else if (letter === 'E')
      this.channel.finish(); // an error of a server that is too old or too busy
    else this.channel.emit(violation('not_the_protocol'));
  }

  private readMessage(message: Buffer): void {
    const type = String.fromCharCode(message[0] ?? 0);
    if (type === 'R' && message.length >= 9) this.readAuthentication(message);
    else if (type === 'E') {
      if (this.isPasswordPending && isRefusal(message.subarray(5)))
        this.channel.emit(login('failure', this.user, this.fingerprint));
      this.channel.finish();
    } else if (type === 'Z') {
      this.channel.emit(login('success', this.user));
      this.channel.finish();
    }
  }

  /** Reads a request of the server. AuthenticationOk is not a success: the server can refuse the role afterwards. */
  private readAuthentication(message: Buffer): void {
    const code = message.readInt32BE(5);
    const method = authMethods.get(code);
    if (method || answeredSteps.has(code)) this.channel.login.end();
    if (method) this.channel.emit(fact('auth_method', method));
    if (method)
      this.isPasswordPending = passwordMethods.has(method) && parseTexts(message.subarray(9))[0] !== tokenMechanism;
    if (method === 'password') this.awaits = 'password';
    if (code === authSteps.ok || code === authSteps.saslFinal) this.isPasswordPending = false;
  }
}

/** With sslnegotiation=direct, a connection starts with TLS. No valid length starts with the first byte of TLS. */
export const postgres: Inspector = {
  isEnough: hasFirstOrHello(requestSize),
  open: (context) => openMessages((channel) => orTls(channel, new Postgres(channel, context))),
};
