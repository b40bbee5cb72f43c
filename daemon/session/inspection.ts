/** Runs the inspector of one connection and dispatches its events. */
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { Attempt, InspectorEvent, InspectorSession, SessionShape, Side } from '../inspectors/inspector.ts';
import { after } from '../time/timer.ts';

export type Login = Extract<InspectorEvent, { kind: 'login' }>;

export interface InspectionHandlers {
  readonly login: (event: Login) => void;
  readonly fault: (error: unknown) => void;
}

type Facts = Readonly<Record<string, string>>;

/** The inspection of one connection. The connection ends if the inspector throws. Facts beyond a bound are dropped. */
export class Inspection {
  /** Undefined when the inspection has ended, so that what the inspector has held is freed. */
  #session: InspectorSession | undefined;
  readonly #end: InspectorSession['end'];
  readonly #handlers: InspectionHandlers;
  /** Created with the first fact: most connections have none. */
  #facts: Map<string, string> | undefined;
  #replacement: Uint8Array | undefined;
  #cancelAnswer: (() => void) | undefined;

  constructor(session: InspectorSession, handlers: InspectionHandlers) {
    this.#session = session.isDone() ? undefined : session;
    this.#end = session.end;
    this.#handlers = handlers;
  }

  /** Inspects bytes. Returns the reason when the connection has to end. */
  inspect(side: Side, chunk: Uint8Array): string | undefined {
    const session = this.#session;
    if (!session) return undefined;
    try {
      const events = session.feed(side, chunk);
      if (session.isDone()) this.#session = undefined;
      return this.#handleEvents(events);
    } catch (error) {
      return this.#fail(error);
    }
  }

  /**
   * Limits the time of the server to answer a ClientHello. A server without TLS may wait for a line end that never
   * comes. Calls `late` with the reason when the connection has to end.
   */
  limitAnswer(late: (reason: string) => void): void {
    if (!this.#awaitsTls()) return;
    this.#cancelAnswer = after(daemonBounds.tlsAnswerMs, () => {
      if (this.#awaitsTls()) late('no_tls_answer');
    });
  }

  #awaitsTls(): boolean {
    return this.#session?.awaitsTls?.() === true;
  }

  end(shape: SessionShape): void {
    this.#cancelAnswer?.();
    try {
      this.#handleEvents(this.#end(shape));
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Whether further bytes of the client have to wait for the server. */
  isHeld(): boolean {
    return this.#session?.login?.isHeld() === true;
  }

  /** The credentials that the server judges. Undefined while it judges none. */
  attempt(): Attempt | undefined {
    return this.#session?.login?.attempt();
  }

  /** The number of bytes at the end of the client's last chunk that have to wait and were not inspected. */
  left(): number {
    return this.#session?.login?.left() ?? 0;
  }

  /** Returns the login without an outcome, if the bytes that waited behind it contain another one. */
  unanswered(held: Uint8Array): Attempt | undefined {
    const session = this.#session;
    const attempt = session?.login?.attempt();
    if (!attempt || held.length === 0) return undefined;
    session?.login?.abandon();
    try {
      session?.feed('client', held);
    } catch (error) {
      this.#fail(error);
    }
    return session?.login?.attempt() && attempt;
  }

  /** The number of following bytes of this side that need no inspection. Call it after each chunk of the side. */
  unseen(side: Side): number {
    return this.#session ? this.#session.unseen(side) : Number.POSITIVE_INFINITY;
  }

  /** The bytes that the inspector holds of the connection. */
  heldBytes(): number {
    return this.#session ? this.#session.heldBytes() : 0;
  }

  /** Returns the bytes that replace the last inspected chunk, and forgets them. Undefined for an unchanged chunk. */
  drainReplacement(): Uint8Array | undefined {
    const instead = this.#replacement;
    this.#replacement = undefined;
    return instead;
  }

  isDone(): boolean {
    return this.#session === undefined;
  }

  facts(): Facts | undefined {
    return this.#facts && Object.fromEntries(this.#facts);
  }

  #fail(error: unknown): string {
    this.#handlers.fault(error);
    return 'inspector_fault';
  }

  #addFact(name: string, value: string): void {
    this.#facts ??= new Map();
    if (this.#facts.size < daemonBounds.connectionFacts || this.#facts.has(name)) this.#facts.set(name, value);
  }

  #handleEvents(events: readonly InspectorEvent[]): string | undefined {
    for (const event of events) {
      if (event.kind === 'violation' || event.kind === 'denied') return event.reason;
      if (event.kind === 'fact') this.#addFact(event.name, event.value);
      if (event.kind === 'login') this.#handlers.login(event);
      if (event.kind === 'instead') this.#replacement = event.bytes;
    }
    return undefined;
  }
}
