/**
 * HTTP/1 (RFC 9112). Applies the policy of the service to every request. Ends the connection when its framing could
 * hide another request. Reports outcomes of logins.
 */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { Awaited } from '../framing/awaited.ts';
import { Conversation } from '../framing/conversation.ts';
import { copyStart, denied, fact, login, opaque, violation } from '../framing/events.ts';
import { hostNames } from '../framing/host-names.ts';
import type { Content } from '../framing/lines.ts';
import { type Channel, type LineHandlers, openText } from '../framing/text.ts';
import type { Inspector, InspectorContext } from '../inspector.ts';
import { AcceptedLogins } from './accepted.ts';
import { BodyBeginning } from './body.ts';
import { createChunks } from './chunks.ts';
import { type Credentials, credentialsOf } from './credentials.ts';
import { hostOf, hostsOf, isRequestLine, parseHead, parseHeader, type RequestHead, valuesOf } from './head.ts';
import { type Answer, createResponses } from './responses.ts';
import { Streams } from './streams.ts';

interface Request {
  readonly method: string;
  readonly credentials: Credentials | undefined;
  /** Whether the credentials are not those that the server has accepted on this connection. */
  readonly isLogin: boolean;
  /** Whether no earlier request waits: the next response is surely to this one. */
  readonly isAlone: boolean;
  /** Whether the client must wait for the response, because another protocol may follow it. */
  readonly isHeld: boolean;
  /** Whether the requested protocol is WebSocket, which contains no requests. */
  readonly isWebSocket: boolean;
  isAnswered: boolean;
}

/**
 * The statuses of a failed login. 403 does not count: the password may be right (RFC 9110 15.5.4), and other sites can
 * make a browser send such requests.
 */
const refusalStatuses: ReadonlySet<number> = new Set([401, 407]);
const { heldItemBytes } = daemonBounds;
/** The preface of a client (RFC 9113 3.4) reads as a request without headers. */
const http2Preface = 'PRI * HTTP/2.0';
const prefaceEnd = '\r\nSM\r\n\r\n';
const mostEmptyLines = 2; // before a request; some clients send one after a body (RFC 9112 2.2)
const framingTrailer = /^(?:content-length|transfer-encoding|host)$/i;

class Http extends Conversation<Channel> implements LineHandlers {
  private readonly isAllowedHost = hostNames(this.context.service.http?.allow_hosts ?? []);
  private readonly awaited = new Awaited<Request>(this.channel);
  private lines: string[] = [];
  private headBytes = 0;
  private emptyLines = 0;
  private chunks: ((line: string, isBare: boolean) => void) | undefined;
  private host = '';
  private isServerLost = false;
  /** Set when the server has accepted an upgrade to HTTP/2, or the client has begun it. */
  private streams: Streams | undefined;
  private outcome: 'success' | 'failure' | undefined;
  private readonly accepted = new AcceptedLogins(this.channel.hold);
  /** The fingerprint of the credentials that the server judges. */
  private judgedFingerprint: string | undefined;

  constructor(channel: Channel, context: InspectorContext) {
    super(channel, context);
    channel.login.onAbandon = () => {
      this.streams?.abandon();
      this.accepted.add(this.judgedFingerprint); // requests that repeat the credentials are not further guesses
    };
  }

  readonly server = createResponses({
    reader: this.channel.server,
    answered: (answer) => this.answered(answer),
    lost: () => this.stopResponses(),
  });

  readonly client = (line: string, isBare: boolean): void => {
    if (this.chunks) this.chunks(line, isBare);
    else if (this.lines.length === 0 && line === '') this.skipEmpty();
    else if (this.lines.length === 0 && line === http2Preface) this.readPreface();
    else if (this.streams) this.channel.emit(violation('frame'));
    else if (line === '') this.finishHead();
    else this.keep(line);
  };

  private skipEmpty(): void {
    this.emptyLines += 1;
    if (this.emptyLines > mostEmptyLines) this.channel.emit(violation('request_line'));
  }

  private keep(line: string): void {
    if (this.lines.length === 0 && !isRequestLine(line)) this.channel.emit(violation('request_line'));
    this.headBytes += line.length;
    this.lines.push(line);
    this.channel.hold(line.length + heldItemBytes);
    const { httpHeadLines, inspectorPendingBytes } = daemonBounds;
    const isLong = this.headBytes >= inspectorPendingBytes || this.lines.length > httpHeadLines;
    if (isLong) this.channel.emit(violation('head_too_long'));
  }

  private leaveHttp(why: string): void {
    this.channel.emit(this.isFiltered() ? denied(why) : opaque(why));
  }

  /** Reads HTTP/2 for its logins. Where requests are filtered, it is denied. */
  private readPreface(): void {
    if (this.isFiltered() || this.isServerLost) this.leaveHttp('http2');
    else if (this.awaited.first) this.channel.emit(violation('http2_behind_request'));
    else this.beginHttp2(this.streams ?? this.openStreams());
  }

  private beginHttp2(streams: Streams): void {
    let preface = '';
    const part = (bytes: Buffer) => {
      preface += bytes.toString('latin1');
      return true;
    };
    const end = () => {
      if (preface === prefaceEnd) streams.read('client');
      else this.channel.emit(violation('frame'));
    };
    this.channel.client.skip(prefaceEnd.length, { part, end });
  }

  private openStreams(): Streams {
    this.streams = new Streams(this.channel, {
      request: (headers) => {
        const [host = ''] = [':authority', 'host'].flatMap((name) => valuesOf(headers, name));
        return this.acceptRequest({ headers, host: hostOf(host) });
      },
      judge: (credentials) => this.beginLogin(credentials),
      outcome: (credentials, status) => this.concludeLogin(credentials, true, status),
    });
    this.streams.read('server');
    return this.streams;
  }

  private isFiltered(): boolean {
    const { guard, service } = this.context;
    return guard !== undefined || (service.http?.allow_hosts.length ?? 0) > 0;
  }

  private finishHead(): void {
    const head = parseHead(this.lines);
    this.channel.hold(-this.headBytes - this.lines.length * heldItemBytes);
    this.lines = [];
    this.headBytes = 0;
    this.emptyLines = 0;
    if ('fault' in head) this.channel.emit(violation(head.fault));
    else this.acceptHead(head);
  }

  private acceptHead(head: RequestHead): void {
    const upgrades = valuesOf(head.headers, 'upgrade');
    const { credentials, isLogin } = this.acceptRequest(head);
    if (credentials && isLogin) this.beginLogin(credentials);
    if (upgrades.some((value) => /h2c/i.test(value)) && this.isFiltered()) this.channel.emit(denied('http2'));
    const hasList = (this.context.service.http?.allow_hosts.length ?? 0) > 0;
    if (hasList && !hostsOf(head).every(this.isAllowedHost)) this.channel.emit(denied('host'));
    this.evaluate(head);
    const isHeld = upgrades.length > 0 || head.method === 'CONNECT';
    const isWebSocket = upgrades.length > 0 && upgrades.every((value) => value.toLowerCase() === 'websocket');
    const isAlone = this.awaited.first === undefined;
    const method = copyStart(head.method);
    const request = { method, credentials, isLogin, isAlone, isHeld, isWebSocket, isAnswered: false };
    if (!this.isServerLost) this.awaited.push(request);
    this.passBody(head, request);
  }

  /** Reports the host, and reads the credentials. */
  private acceptRequest(head: Pick<RequestHead, 'headers' | 'host'>): Pick<Request, 'credentials' | 'isLogin'> {
    if (head.host !== this.host) this.channel.emit(fact('host', head.host));
    this.host = head.host;
    const credentials = credentialsOf(head, this.context);
    const isLogin = !this.isServerLost && credentials !== undefined && !this.accepted.has(credentials.fingerprint);
    return { credentials, isLogin };
  }

  private beginLogin({ user, fingerprint }: Credentials): void {
    this.judgedFingerprint = fingerprint;
    this.channel.login.judge(user);
  }

  private evaluate({ method, target, headers, host }: RequestHead, body?: string): void {
    const { guard, client } = this.context;
    const request = { method, target, headers, ip: client, host, ...(body !== undefined && { body }) };
    const verdict = guard?.evaluate(request);
    if (verdict?.verdict !== 'blocked') return;
    this.channel.emit(fact('target', target));
    if (verdict.rule !== undefined) this.channel.emit(fact('rule', verdict.rule));
    this.channel.emit(denied(verdict.reason));
  }

  private passBody(head: RequestHead, request: Request): void {
    const sample = this.sampleOf(head);
    const end = () => {
      this.chunks = undefined;
      sample?.end();
      if (request.isAnswered || this.isServerLost) return;
      if (request.isHeld) this.channel.client.hold('pipelined_behind_upgrade');
      else if (request.isLogin) this.channel.login.hold();
    };
    const part = sample && { part: sample.part };
    if (head.body === 'chunked') this.chunks = createChunks(this.channel.client, { ...part, end, ...this.chunkRules });
    else this.channel.client.skip(head.body, { ...part, end });
  }

  private readonly chunkRules = {
    fault: () => this.channel.emit(violation('chunk')),
    isBadTrailer: (line: string) => framingTrailer.test(parseHeader(line)?.[0] ?? 'host'),
    trailerBytes: daemonBounds.inspectorPendingBytes,
  };

  /** Buffers the part of a body that the policy inspects. Evaluates it before the last byte of the body is relayed. */
  private sampleOf(head: RequestHead): Required<Content> | undefined {
    const most = this.context.guard?.bodyBytes ?? 0;
    if (most === 0 || head.body === 0) return undefined;
    let beginning: BodyBeginning | undefined = new BodyBeginning(most);
    const end = () => {
      const text = beginning?.text() ?? '';
      this.channel.hold(-(beginning?.heldBytes ?? 0));
      beginning = undefined;
      if (text !== '') this.evaluate(head, text);
    };
    const part = (bytes: Buffer) => {
      this.channel.hold(beginning?.add(bytes) ?? 0);
      if (beginning?.isFull) end();
      return beginning !== undefined;
    };
    return { part, end };
  }

  private answered({ status, isNextStep, upgrade }: Answer): 'body' | 'none' {
    const request = this.awaited.shift();
    if (!request) return 'body'; // a response without a request, such as a timeout of the server
    request.isAnswered = true;
    if (request.isHeld) this.channel.client.release();
    if (status === 101 && upgrade === 'h2c' && !this.isFiltered()) return this.continueInHttp2(request);
    if (request.isLogin) this.channel.login.end();
    const isSuccess = status >= 200 && status < 300;
    if (request.credentials && !isNextStep) this.concludeLogin(request.credentials, request.isAlone, status);
    if (status === 101 && request.isWebSocket) this.channel.emit(opaque('upgrade'));
    else if (status === 101) this.leaveHttp('upgrade');
    else if (request.method === 'CONNECT' && isSuccess) this.leaveHttp('tunnel');
    return request.method === 'HEAD' || status === 101 ? 'none' : 'body';
  }

  /** The response to the request that asked for the upgrade follows in HTTP/2. */
  private continueInHttp2(request: Request): 'none' {
    this.openStreams().adopt(request);
    return 'none';
  }

  /** Stops reading responses after an unreadable one. The outcomes of pending and later requests stay unknown. */
  private stopResponses(): void {
    this.isServerLost = true;
    this.channel.server.stop();
    this.channel.client.release();
    this.channel.login.end();
  }

  /**
   * Reports the outcome of a login. Each request repeats the credentials, so only the first of their successes is
   * reported. Where they cannot be compared, it is the first of several successes in a row.
   */
  private concludeLogin({ user, fingerprint, hasPassword }: Credentials, isAlone: boolean, status: number): void {
    const outcome = refusalStatuses.has(status) ? 'failure' : status < 400 ? 'success' : undefined;
    if (outcome === undefined) return;
    const isRepeated = hasPassword && fingerprint ? this.accepted.has(fingerprint) : this.outcome === outcome;
    if (outcome === 'success') this.accepted.add(fingerprint);
    else this.accepted.remove(fingerprint);
    this.outcome = outcome;
    if (outcome === 'success' && isRepeated) return;
    const isRecognized = outcome === 'failure' && isAlone && hasPassword;
    this.channel.emit(login(outcome, user, isRecognized ? fingerprint : undefined));
  }
}

const headEnds = ['\n\r\n', '\n\n'];

/**
 * Whether the head is complete or has reached the buffer limit. Searches only the new bytes, and the bytes before them
 * in which a match may start.
 */
const isHeadWhole = (first: Buffer, checkedLength: number): boolean =>
  first.length >= daemonBounds.inspectorPendingBytes ||
  headEnds.some((end) => first.indexOf(end, Math.max(0, checkedLength - end.length)) >= 0);

export const http: Inspector = {
  isEnough: (first, checkedLength) =>
    isHeadWhole(Buffer.from(first.buffer, first.byteOffset, first.byteLength), checkedLength),
  open: (context) => openText((channel) => new Http(channel, context)),
};
