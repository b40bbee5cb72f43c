/**
 * HTTP/2 without TLS (RFC 9113): the logins in requests, and their outcomes. Streams without credentials are not kept.
 * Neither are streams that repeat credentials beyond the bound of commands in flight: servers may allow more streams.
 */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Headers } from '../../../engine/index.ts';
import { violation } from '../framing/events.ts';
import { InFlight } from '../framing/in-flight.ts';
import type { Channel } from '../framing/text.ts';
import { type Credentials, isNextStep } from './credentials.ts';
import { FrameReader } from './frames.ts';
import { statusOf } from './grpc.ts';
import { HeaderDecoder } from './hpack.ts';

interface StreamRequest {
  readonly credentials: Credentials | undefined;
  /** Whether the credentials are not those that the server has accepted on this connection. */
  readonly isLogin: boolean;
}

interface Login {
  readonly stream: number;
  readonly credentials: Credentials;
  /** Whether the client has sent the whole request. */
  isEnded: boolean;
}

export interface StreamHandlers {
  readonly request: (headers: Headers) => StreamRequest;
  /** Called when the server judges other credentials than before. */
  readonly judge: (credentials: Credentials) => void;
  /** Called for a response that is the outcome of credentials. */
  readonly outcome: (credentials: Credentials, status: number) => void;
}

/** Logins with different credentials whose requests have not ended: more would wait for bytes that wait behind them. */
const mostUnended = 2;
const mostHeadBytes = { client: daemonBounds.http2HeadBytes, server: daemonBounds.http2ResponseHeadBytes } as const;
const success = 200;
const refusal = 401;
const challenges = ['www-authenticate', 'proxy-authenticate'];

const isSame = (one: Credentials, other: Credentials): boolean =>
  one.fingerprint !== undefined && one.fingerprint === other.fingerprint;

export class Streams {
  private readonly requests: InFlight<number, Credentials>;
  private newest = 0;
  /** The logins without a response, by stream. */
  private readonly logins = new Map<number, Login>();
  /** The login whose last byte waits for the outcome of others. */
  private waiting: Login | undefined;
  /** The last login that the client has reset before a response. */
  private unanswered: Credentials | undefined;
  private readonly channel: Channel;
  private readonly handlers: StreamHandlers;

  constructor(channel: Channel, handlers: StreamHandlers) {
    this.channel = channel;
    this.handlers = handlers;
    this.requests = new InFlight(channel);
  }

  /** Reads the frames of a side. Those of the client follow its preface. */
  read(side: 'client' | 'server'): void {
    const { hold, emit } = this.channel;
    const decoder = new HeaderDecoder(hold, mostHeadBytes[side]);
    const fault = (reason: string) => emit(violation(reason));
    const headers = (block: Buffer, stream: number | undefined) => {
      const decoded = decoder.decode(block);
      if (!decoded) fault('header_block');
      else if (stream === undefined) return;
      else if (side === 'client') this.request(decoded, stream);
      else this.response(decoded, stream);
    };
    const streamEnd = (stream: number) => {
      if (side === 'client') this.end(stream);
      else this.remove(stream);
    };
    const data = (stream: number) => {
      if (side === 'server') this.conclude(stream, success);
    };
    const reset = (stream: number) => {
      const login = this.logins.get(stream);
      this.remove(stream);
      if (side === 'client' && login) this.leave(login.credentials);
    };
    const handlers = { headers, streamEnd, data, reset, fault, hold };
    new FrameReader(this.channel[side], handlers, mostHeadBytes[side]).start();
  }

  /** Adds the request that HTTP/1 has sent with the upgrade: the response is on the first stream. */
  adopt({ credentials, isLogin }: StreamRequest): void {
    this.newest = 1;
    if (!credentials) return;
    this.requests.add(1, credentials);
    if (isLogin) this.logins.set(1, { stream: 1, credentials, isEnded: true });
  }

  /** Forgets the logins without a response: see `LoginWait.abandon`. */
  abandon(): void {
    this.logins.clear();
  }

  private request(headers: Headers, stream: number): void {
    if (stream <= this.newest) return; // trailers
    this.newest = stream;
    const { credentials, isLogin } = this.handlers.request(headers);
    if (!credentials) return;
    if (isLogin) this.admit({ stream, credentials, isEnded: false });
    else this.requests.addIfRoom(stream, credentials);
  }

  /** Lets the server judge a login, or makes its last byte wait. */
  private admit(login: Login): void {
    const { client, login: wait } = this.channel;
    const isWaiting = this.isBehind(login);
    this.waiting = isWaiting ? login : undefined;
    if (isWaiting) {
      wait.hold();
      client.returnByte(() => this.admit(login));
      return;
    }
    this.leave(undefined, login.credentials);
    const isRepeated = [...this.logins.values()].some((one) => isSame(one.credentials, login.credentials));
    if (isRepeated && !this.requests.addIfRoom(login.stream, login.credentials)) return;
    if (!isRepeated) this.requests.add(login.stream, login.credentials);
    this.logins.set(login.stream, login);
    if (!isRepeated) this.handlers.judge(login.credentials);
  }

  private end(stream: number): void {
    const login = this.waiting?.stream === stream ? this.waiting : this.logins.get(stream);
    if (login) login.isEnded = true;
  }

  /**
   * Whether a login must wait for the outcome of one with other credentials. Requests that repeat credentials do not
   * wait: a long poll must not stop them. Neither do other frames.
   */
  private isBehind({ credentials }: Login): boolean {
    const logins = [...this.logins.values()];
    if (logins.some((one) => isSame(one.credentials, credentials))) return false;
    const others = new Set(logins.map((one) => one.credentials.fingerprint ?? one));
    return others.size >= mostUnended || logins.some(({ isEnded }) => isEnded);
  }

  /**
   * Notes a login that the client has reset. A client could guess without reading responses, so the login counts as
   * refused when a guess with another password follows.
   */
  private leave(reset: Credentials | undefined, next = reset): void {
    const { unanswered } = this;
    this.unanswered = reset;
    const isGuess = unanswered?.hasPassword && next && !isSame(unanswered, next);
    if (isGuess) this.handlers.outcome(unanswered, refusal);
  }

  private response(headers: Headers, stream: number): void {
    const status = statusOf(headers);
    if (status === undefined) this.release(stream);
    else if (status < 200)
      return; // 1xx: the final response follows
    else if (headers.some(([name, value]) => challenges.includes(name) && isNextStep(value))) this.remove(stream);
    else this.conclude(stream, status);
  }

  /** Reports the outcome of a login, which is the response, or what follows the start of one of gRPC. */
  private conclude(stream: number, status: number): void {
    const credentials = this.remove(stream);
    if (!credentials) return;
    this.handlers.outcome(credentials, status);
    if (status < 400) this.accept(credentials);
  }

  /** Requests that repeat accepted credentials are not logins. */
  private accept(credentials: Credentials): void {
    for (const [stream, login] of this.logins) if (isSame(login.credentials, credentials)) this.logins.delete(stream);
    this.judgeNext();
  }

  private remove(stream: number): Credentials | undefined {
    this.release(stream);
    return this.requests.remove(stream);
  }

  /** Lets further logins be judged. A response of gRPC can be open for hours, and waits for no other. */
  private release(stream: number): void {
    if (this.logins.delete(stream)) this.judgeNext();
  }

  private judgeNext(): void {
    const { login } = this.channel;
    const [next] = this.logins.values();
    login.end();
    if (next) this.handlers.judge(next.credentials);
    if (this.waiting && this.isBehind(this.waiting)) login.hold();
  }
}
