/** Inspects text protocols: a line reader for each side, and the events of the current chunk. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { InspectorEvent, InspectorSession, Side } from '../inspector.ts';
import { opaque, violation } from './events.ts';
import { type LineHandler, LineReader } from './lines.ts';
import { LoginWait } from './login-wait.ts';
import { createReport } from './report.ts';
import { isHelloAnswer } from './tls-records.ts';

export interface Channel {
  readonly client: LineReader;
  readonly server: LineReader;
  readonly login: LoginWait;
  /** Reports an event. A violation, a denial or an opaque event ends the inspection. */
  readonly emit: (event: InspectorEvent) => void;
  /** Adds to the held bytes of the connection, other than those of the readers. Negative: removes. */
  readonly hold: (bytes: number) => void;
}

export interface LineHandlers {
  readonly client: LineHandler['line'];
  readonly server: LineHandler['line'];
}

function feedSide({ client, server, login }: Channel, side: Side, chunk: Buffer): void {
  if (side === 'server') server.feed(chunk);
  else login.note(chunk.length, client.feed(chunk, login));
}

export function openText(open: (channel: Channel) => LineHandlers): InspectorSession {
  const report = createReport(() => {
    channel.client.stop();
    channel.server.stop();
  });
  const fault = (reason: string) => report.emit(violation(reason));
  const channel: Channel = {
    client: new LineReader({ line: (...line) => handlers.client(...line), fault }, daemonBounds.clientLineBytes, true),
    server: new LineReader({ line: (...line) => handlers.server(...line), fault }, daemonBounds.serverLineBytes),
    login: new LoginWait(),
    emit: report.emit,
    hold: report.hold,
  };
  const handlers = open(channel);
  const session = report.session(
    (side, chunk) => feedSide(channel, side, chunk),
    (side) => channel[side].unseen(),
    () => channel.client.heldBytes + channel.server.heldBytes,
  );
  return { ...session, login: channel.login };
}

/**
 * Expects a TLS record of the server, after it seems to have accepted STARTTLS. Only the record proves that it has: the
 * reply could belong to another command. Bytes of the client are not inspected meanwhile.
 */
export function awaitTls({ client, server, emit }: Channel): void {
  const start: number[] = [];
  client.skip(Number.POSITIVE_INFINITY);
  server.skip(2, {
    part: (bytes) => start.push(...bytes) > 0,
    end: () => {
      const [type, version] = start;
      emit(isHelloAnswer(type, version) ? opaque('starttls') : violation('no_tls_answer'));
    },
  });
}
