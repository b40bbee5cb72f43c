/**
 * The wait of a client behind its credentials. Until the server has responded, further bytes of the client are neither
 * inspected nor relayed: a server that judges many guesses at once would let a client try them before the ban.
 */
import type { Attempt, LoginState } from '../inspector.ts';
import { copyStart } from './events.ts';

const doNothing = (): void => {};

export class LoginWait implements LoginState {
  private current: Attempt | undefined;
  private isWaiting = false;
  private leftBytes = 0;
  /** Called by `abandon`. Set it where the conversation would read the next bytes as a part of the same login. */
  onAbandon = doNothing;

  attempt(): Attempt | undefined {
    return this.current;
  }

  isHeld(): boolean {
    return this.isWaiting;
  }

  left(): number {
    return this.leftBytes;
  }

  /** Call it after the last byte of credentials. `hasPassword`: false for those that are not a guess, such as a token. */
  begin(user: string | undefined, hasPassword = true): void {
    if (hasPassword) this.judge(user);
    this.hold();
  }

  /** Like `begin`, for credentials that are followed by bytes which the server needs, such as the body of a request. */
  judge(user: string | undefined): void {
    this.current = { user: user === undefined || user === '' ? undefined : copyStart(user) };
  }

  /** Makes the client wait for the server, which judges no credentials yet or still does. */
  hold(): void {
    this.isWaiting = true;
  }

  /** Call it when the server has responded: with an outcome, or with a step that the client has to answer. */
  end(): void {
    this.current = undefined;
    this.isWaiting = false;
  }

  /** Records how much of the client's chunk was read. */
  note(chunkBytes: number, readBytes: number): void {
    this.leftBytes = chunkBytes - readBytes;
  }

  abandon(): void {
    this.end();
    this.onAbandon();
  }
}
