/** HTTP/2 without TLS (RFC 9113): the logins in requests, and their outcomes. Streams without credentials are not kept. */
import type { Headers } from '../../../engine/index.ts';
import { violation } from '../framing/events.ts';
import { InFlight } from '../framing/in-flight.ts';
import type { Channel } from '../framing/text.ts';
import { type Credentials, isNextStep } from './credentials.ts';
import { FrameReader } from './frames.ts';
import { valuesOf } from './head.ts';
import { HeaderDecoder } from './hpack.ts';

interface StreamRequest {
  readonly credentials: Credentials | undefined;
  /** Whether the credentials are not those that the server has accepted on this connection. */
  readonly isLogin: boolean;
}

interface Login {
  readonly credentials: Credentials;
  /** Whether the server has the whole request. */
  isEnded: boolean;
}

export interface StreamHandlers {
  readonly request: (headers: Headers) => StreamRequest;
  /** Called for a response that is the outcome of credentials. */
  readonly outcome: (credentials: Credentials, status: number) => void;
}

const challenges = ['www-authenticate', 'proxy-authenticate'];

export class Streams {
  private readonly requests: InFlight<number, Credentials>;
  private newest = 0;
  /** The logins without a response, by stream. */
  private readonly logins = new Map<number, Login>();
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
    const decoder = new HeaderDecoder(hold);
    const fault = (reason: string) => emit(violation(reason));
    const headers = (block: Buffer, stream: number | undefined) => {
      const decoded = decoder.decode(block);
      if (!decoded) fault('header_block');
      else if (stream === undefined) return;
      else if (side === 'client') this.request(decoded, stream);
      else this.response(decoded, stream);
    };
    const streamEnd = (stream: number) => {
      const login = this.logins.get(stream);
      if (side === 'server' || !login) return;
      login.isEnded = true;
      this.wait();
    };
    const reset = (stream: number) => {
      if (side === 'server' || !this.logins.has(stream)) this.remove(stream);
    };
    new FrameReader(this.channel[side], { headers, streamEnd, reset, fault, hold }).start();
  }

  /** Adds the request that HTTP/1 has sent with the upgrade: the response is on the first stream. */
  adopt(request: StreamRequest): void {
    this.newest = 1;
    this.add(1, request);
  }

  /** Forgets the logins without a response: see `LoginWait.abandon`. */
  abandon(): void {
    this.logins.clear();
  }

  private request(headers: Headers, stream: number): void {
    if (stream <= this.newest) return; // trailers
    this.newest = stream;
    this.add(stream, this.handlers.request(headers));
  }

  private add(stream: number, { credentials, isLogin }: StreamRequest): void {
    if (!credentials) return;
    this.requests.add(stream, credentials);
    if (!isLogin) return;
    this.logins.set(stream, { credentials, isEnded: false });
    this.wait();
  }

  /**
   * Makes the client wait behind a whole request with a login, and behind other credentials. The bodies of requests with
   * the same credentials may be mixed.
   */
  private wait(): void {
    const { login } = this.channel;
    const [first, ...others] = this.logins.values();
    login.end();
    if (!first) return;
    login.judge(first.credentials.user);
    const { fingerprint } = first.credentials;
    const isOther = ({ credentials }: Login) => fingerprint === undefined || credentials.fingerprint !== fingerprint;
    if (first.isEnded || others.some((one) => one.isEnded || isOther(one))) login.hold();
  }

  private response(headers: Headers, stream: number): void {
    const status = Number(valuesOf(headers, ':status')[0]);
    if (status < 200) return; // 1xx: the final response follows
    const credentials = this.remove(stream);
    const isStep = headers.some(([name, value]) => challenges.includes(name) && isNextStep(value));
    if (credentials && !isStep) this.handlers.outcome(credentials, status);
  }

  private remove(stream: number): Credentials | undefined {
    if (this.logins.delete(stream)) this.wait();
    return this.requests.remove(stream);
  }
}
