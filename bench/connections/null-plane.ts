/** A data plane in memory, without sockets: connections are accepted on request, and each relay ends in the next turn. */
import type { Peer } from '../../daemon/address/client.ts';
import type { Connection, ConnectOutcome, DataPlane, ListenHandlers, Peeked, Relay } from '../../daemon/plane/plane.ts';

const ignore = (): void => {};
const nothing = new Uint8Array(0);
const noBytes: Promise<Peeked> = Promise.resolve({ bytes: nothing, why: 'ended' });
const bytesPerRelay = 64;

class NullConnection implements Connection {
  readonly remote: Peer;
  readonly local: Peer = { ip: '127.0.0.1', port: 1 };
  private gone: (() => void)[] = [];

  constructor(remote: Peer) {
    this.remote = remote;
  }

  peek(): Promise<Peeked> {
    return noBytes;
  }

  peeked(): Uint8Array {
    return nothing;
  }

  skip(): void {}

  write(): boolean {
    return true;
  }

  watch(): () => void {
    return ignore;
  }

  discard(): void {}

  end(): void {
    const { gone } = this;
    this.gone = [];
    for (const listener of gone) listener();
  }

  onGone(listener: () => void): void {
    this.gone.push(listener);
  }
}

const relay: Relay = { bytesIn: () => bytesPerRelay, bytesOut: () => bytesPerRelay, activeAt: () => 0, stop: () => {} };

/** `accept` hands a connection of this peer to the listener that was opened last. */
export function createNullPlane(): DataPlane<NullConnection> & { readonly accept: (peer: Peer) => void } {
  let handlers: ListenHandlers<NullConnection> | undefined;
  const upstream = new NullConnection({ ip: '127.0.0.1', port: 2 });
  const outcome: ConnectOutcome<NullConnection> = { ok: true, connection: upstream };
  const listenNow: DataPlane<NullConnection>['listenNow'] = (endpoint, asked) => {
    handlers = asked;
    return { endpoint, descriptor: undefined, close: async () => {} };
  };
  return {
    listen: async (endpoint, asked) => listenNow(endpoint, asked),
    listenNow,
    connect: (_address, done) => {
      done(outcome);
      return ignore;
    },
    relay: (client, _upstream, hooks) => {
      setImmediate(() => {
        client.end();
        hooks.ended('closed');
      });
      return relay;
    },
    counters: () => ({ accepted: 0, open: 0, acceptFaults: 0, exhaustedAt: Number.NEGATIVE_INFINITY }),
    accept: (peer) => handlers?.accept(new NullConnection(peer)),
  };
}
