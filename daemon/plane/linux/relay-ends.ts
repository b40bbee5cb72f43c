/** The ends of a relay: each direction ends separately, and a side can be lost. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { errno } from '../../process/libc/libc.ts';
import type { Ending, RelayEnd, RelayHooks } from '../plane.ts';
import type { LinuxConnection } from './connection.ts';
import { state } from './loop.ts';
import type { Shared } from './shared.ts';

export abstract class RelayEnds {
  protected readonly shared: Shared;
  protected readonly hooks: RelayHooks;
  protected readonly client: LinuxConnection;
  protected readonly upstream: LinuxConnection;
  #endReason: RelayEnd | undefined;
  #openSides = 2;
  /** The timer that closes a side which still sends after the other side has closed. */
  #linger: NodeJS.Timeout | undefined;

  constructor(client: LinuxConnection, upstream: LinuxConnection, hooks: RelayHooks) {
    this.shared = client.shared;
    this.hooks = hooks;
    this.client = client;
    this.upstream = upstream;
  }

  /** Moves bytes until there are none, or the receiver accepts no more. */
  protected abstract pump(from: LinuxConnection, to: LinuxConnection): void;

  stop(how: Ending): void {
    this.#endReason ??= 'stopped';
    this.client.end(this.client.isBlocked ? 'reset' : how);
    this.upstream.end('reset');
  }

  protected otherSide(side: LinuxConnection): LinuxConnection {
    return side === this.client ? this.upstream : this.client;
  }

  onClosed(side: LinuxConnection): void {
    this.#openSides -= 1;
    const other = this.otherSide(side);
    if (!side.hasEnded && !other.isClosing) this.lose(side, other);
    if (this.#openSides > 0) return;
    clearTimeout(this.#linger);
    this.hooks.ended(this.#endReason ?? 'closed');
  }

  protected onEnded(from: LinuxConnection, to: LinuxConnection): void {
    if (from.is(state.writeFailed)) return void this.lose(from, to);
    from.set(state.endRead);
    if (to.is(state.held)) return void this.dropHeld(to, from);
    if (from.is(state.errorReported) && !from.isBroken) return void this.onBroken(to, from, -errno.EPIPE);
    if (from.isBroken) from.end('close');
    if (to.isClosing && !from.isBlocked) from.end('close');
    else if (!to.isBroken) this.forwardEnd(from, to);
  }

  /** Drops the held bytes of the client: the upstream has finished sending, so nothing can end their wait. */
  protected dropHeld(client: LinuxConnection, upstream: LinuxConnection): void {
    client.clear(state.held);
    client.drainPeeked();
    this.onBroken(client, upstream, -errno.EPIPE);
  }

  /** Ends a direction after all bytes are written. Closes both sides when both directions have ended. */
  protected forwardEnd(from: LinuxConnection, to: LinuxConnection): void {
    if (!to.isBlocked && to.hasEnded && (from.isClosing || !from.isBlocked)) {
      from.end('close');
      to.end('close');
      return;
    }
    if (!to.isBlocked) to.finishSending();
    if (from.isClosing) this.#lingerOn(to);
  }

  /**
   * Handles a failed write to `to`. If `to` has finished sending, its data is complete: for example, a server responded
   * and closed.
   */
  protected onBroken(from: LinuxConnection, to: LinuxConnection, failed: number): void {
    to.markBroken();
    if (failed === -errno.EPIPE && !to.hasEnded) {
      to.set(state.readable); // EPIPE: the end of `to` has arrived, maybe after unread bytes
      this.pump(to, from);
    }
    if (to.hasEnded) {
      to.end('reset');
      this.forwardEnd(to, from);
    } else if (failed !== -errno.EPIPE || !(from.isBlocked || to.is(state.queued))) this.lose(to, from);
    else if (from.isReadable) this.shared.loop.queue(from); // discard the bytes that `from` still sends
  }

  /** Discards the bytes that a side still sends. An immediate close would discard what its peer has not read yet. */
  #lingerOn(side: LinuxConnection): void {
    if (side.isReadable) this.shared.loop.queue(side);
    this.#linger ??= setTimeout(() => side.end(side.isBlocked ? 'reset' : 'close'), daemonBounds.lingerMs);
  }

  protected lose(gone: LinuxConnection, other: LinuxConnection): void {
    this.#endReason ??= gone === this.client ? 'client_lost' : 'upstream_lost';
    gone.end('reset');
    other.end('reset');
  }
}
