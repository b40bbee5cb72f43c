/** LDAP (RFC 4511): binds and their results. A connection can have several. Inspected until StartTLS. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { contentAt, type Element, elementSize, elements, integerOf } from '../framing/ber.ts';
import { Conversation } from '../framing/conversation.ts';
import { denied, fact, login, opaque, violation } from '../framing/events.ts';
import { InFlight } from '../framing/in-flight.ts';
import { type Channel, type MessageHandler, openMessages, passAll } from '../framing/messages.ts';
import { createAnswer, hasFirstOrHello, orTls } from '../framing/or-tls.ts';
import type { Inspector } from '../inspector.ts';
import { type BindRequest, readBind } from './bind.ts';

const sequence = 0x30;
const operations = {
  bind: 0x60,
  bindResponse: 0x61,
  unbind: 0x42,
  abandon: 0x50,
  search: 0x63,
  extended: 0x77,
  extendedResponse: 0x78,
} as const;
/** Operations that are read completely. With `deny_anonymous`, the start of others is checked before a login. */
const completelyReadOperations: ReadonlySet<number> = new Set([
  operations.bind,
  operations.bindResponse,
  operations.unbind,
  operations.extended,
  operations.extendedResponse,
]);
const inspectedBytes = 128;
const operationsWithoutLogin: ReadonlySet<number> = new Set([
  operations.bind,
  operations.unbind,
  operations.abandon,
  operations.extended,
]);
const startTlsName = '1.3.6.1.4.1.1466.20037';
const requestNameTag = 0x80;
const maxIdBytes = 4;
const baseObject = 0;

const results = { success: 0, saslInProgress: 14 } as const;
/** Results of failed logins. constraintViolation, which 389 Directory Server sends for a locked account, is not one. */
const refusalCodes: ReadonlySet<number> = new Set([
  32, // noSuchObject
  49, // invalidCredentials
]);
/**
 * Subcodes of invalidCredentials in Active Directory for other reasons than a wrong password: hours, workstation,
 * password expired, disabled, account expired, must change, locked.
 */
const otherRefusalForm =
  /^[0-9A-F]{8}: LdapErr: [\w-]+, comment: AcceptSecurityContext error, data (?:530|531|532|533|701|773|775),/;

const headBytes = 6 + 2 + maxIdBytes + 1; // sequence, message number, tag of the operation
const idTag = 0x02;

const messageSize =
  (most: number): MessageHandler['size'] =>
  (bytes, at, end) => {
    if (bytes[at] !== sequence) return -1;
    const size = elementSize(bytes, at, end);
    if (size > most || size < 0) return -1;
    if (size === 0 || end - at < Math.min(size, headBytes)) return 0;
    return operationAt(bytes, at, end) < at + size ? size : -1;
  };
const clientSize = messageSize(daemonBounds.ldapRequestBytes);
const serverSize = messageSize(Number.MAX_SAFE_INTEGER);

/** The offset of the operation's tag. Beyond all bytes when the message number is invalid. */
function operationAt(bytes: Buffer, at: number, end: number): number {
  const idAt = contentAt(bytes, at, end);
  const length = bytes[idAt + 1] ?? 0;
  return bytes[idAt] === idTag && length >= 1 && length <= maxIdBytes ? idAt + 2 + length : Number.MAX_SAFE_INTEGER;
}

const operationOf = (bytes: Buffer, at: number, end: number) => bytes[operationAt(bytes, at, end)] ?? 0;

class Ldap extends Conversation<Channel> {
  private readonly deniesAnonymous = this.context.service.ldap?.deny_anonymous ?? false;
  private hasSasl = false;
  private isBound = false;
  private reportedBinds = 0;
  /** The user that an earlier step of the SASL mechanism gave. */
  private namedUser: string | undefined;
  private tlsId: number | undefined;
  /**
   * Reads the server's first bytes after a response that seems to accept StartTLS. Only a TLS record proves it: the
   * response may belong to another request with the same number.
   */
  private tlsAnswer: MessageHandler | undefined;
  private readonly binds = new InFlight<number, BindRequest>(this.channel);

  readonly client: MessageHandler = {
    size: (bytes, at, end) => {
      if (this.tlsAnswer) return passAll.size(bytes, at, end);
      if (this.tlsId !== undefined) return this.emitFatal(violation('clear_bytes_behind_starttls'));
      // A SASL layer puts a length of four bytes before each buffer (RFC 4422 3.7).
      if (this.hasSasl && bytes[at] === 0) return this.emitFatal(opaque('sasl'));
      return clientSize(bytes, at, end);
    },
    bytesToRead: (bytes, at, size, end) => {
      if (this.tlsAnswer) return 0;
      if (completelyReadOperations.has(operationOf(bytes, at, end))) return size;
      return this.deniesAnonymous && !this.isBound ? Math.min(size, inspectedBytes) : 0;
    },
    read: (message) => this.readRequest(message),
  };

  readonly server: MessageHandler = {
    size: (bytes, at, end) => {
      if (this.tlsAnswer) return this.tlsAnswer.size(bytes, at, end);
      return this.hasSasl && bytes[at] === 0 ? this.emitFatal(opaque('sasl')) : serverSize(bytes, at, end);
    },
    bytesToRead: (bytes, at, size, end) => (completelyReadOperations.has(operationOf(bytes, at, end)) ? size : 0),
    read: (message) => this.readResponse(message),
  };

  private emitFatal(event: Parameters<Channel['emit']>[0]): number {
    this.channel.emit(event);
    return -1;
  }

  private readRequest(message: Buffer): void {
    const [id, operation] = partsOf(message);
    if (id === undefined || operation === undefined) this.channel.emit(violation('malformed_message'));
    else if (this.deniesAnonymous && !this.isBound && !needsNoLogin(operation)) this.channel.emit(denied('anonymous'));
    else if (operation.tag === operations.bind)
      this.beginBind(id, readBind(operation.content, this.context, this.namedUser));
    else if (operation.tag === operations.extended) this.readExtended(id, operation.content);
    else if (operation.tag === operations.unbind) this.channel.finish();
  }

  private beginBind(id: number, request: BindRequest | undefined): void {
    this.isBound = false;
    if (!request) {
      this.channel.emit(violation('malformed_message'));
      return;
    }
    this.reportedBinds += 1;
    if (this.reportedBinds <= daemonBounds.repeatedFacts) this.reportBind(request);
    if (request.isAnonymous && this.deniesAnonymous) this.channel.emit(denied('anonymous'));
    this.binds.add(id, request);
    this.channel.login.begin(request.user, request.hasPassword);
  }

  private reportBind(request: BindRequest): void {
    if (request.user) this.channel.emit(fact('user', request.user));
    if (request.mechanism !== undefined) this.channel.emit(fact('mechanism', request.mechanism));
  }

  private readExtended(id: number, content: Buffer): void {
    const [name] = elements(content);
    if (name?.tag === requestNameTag && name.content.toString('latin1') === startTlsName) this.tlsId = id;
  }

  private readResponse(message: Buffer): void {
    const [id, operation] = partsOf(message);
    const [code, _name, text] = elements(operation?.content ?? Buffer.alloc(0));
    const result = code && integerOf(code.content);
    if (id === undefined || !operation || result === undefined) this.channel.emit(violation('malformed_message'));
    else if (operation.tag === operations.bindResponse) this.concludeBind(id, result, text?.content);
    else if (operation.tag === operations.extendedResponse && id === this.tlsId) {
      this.tlsId = undefined;
      if (result === results.success) this.tlsAnswer = createAnswer(this.channel, 'starttls');
    }
  }

  private isRefusal(result: number, request?: BindRequest, text?: Buffer): boolean {
    return (
      refusalCodes.has(result) &&
      request?.hasPassword !== false &&
      !otherRefusalForm.test(text?.toString('latin1') ?? '')
    );
  }

  private concludeBind(id: number, result: number, text?: Buffer): void {
    const request = this.binds.remove(id);
    this.channel.login.end();
    this.namedUser = result === results.saslInProgress ? request?.user : undefined;
    if (result === results.saslInProgress) return;
    // A refusal without a matching bind counts too: the server has read a request that this inspector has not.
    if (this.isRefusal(result, request, text)) this.channel.emit(login('failure', request?.user, request?.fingerprint));
    if (!request || result !== results.success) return;
    this.hasSasl = request.mechanism !== undefined;
    this.isBound = !request.isAnonymous;
    if (this.isBound) this.channel.emit(login('success', request.user));
  }
}

/** Whether clients may send the operation before a login. The root entry describes the login methods (RFC 4512 5.1). */
function needsNoLogin({ tag, content }: Element): boolean {
  if (tag !== operations.search) return operationsWithoutLogin.has(tag);
  const [base, scope] = elements(content);
  return base?.content.length === 0 && scope !== undefined && integerOf(scope.content) === baseObject;
}

function partsOf(message: Buffer) {
  const [id, operation] = elements(message.subarray(contentAt(message, 0, message.length)));
  return [id && id.tag === idTag ? integerOf(id.content) : undefined, operation] as const;
}

export const ldap: Inspector = {
  isEnough: hasFirstOrHello(clientSize),
  open: (context) => openMessages((channel) => orTls(channel, new Ldap(channel, context))),
};
