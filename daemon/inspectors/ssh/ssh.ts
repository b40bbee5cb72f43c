/**
 * SSH up to its key exchange. Later bytes are encrypted, including the outcome of a login. A session in which the client
 * tried to log in and the server sent less than any shell does is reported as a probable failure.
 */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { fact, lastKinds, opaque, violation } from '../framing/events.ts';
import type { Inspector, InspectorEvent, InspectorSession, SessionShape, Side } from '../inspector.ts';
import { SshSide } from './side.ts';

const noEvents: readonly InspectorEvent[] = [];
const knownVersion = /^SSH-(?:2\.0|1\.99)-/;

class Conversation implements InspectorSession {
  private events: InspectorEvent[] = [];
  private isOver = false;
  private readonly sides: Readonly<Record<Side, SshSide>> = {
    client: this.side('client'),
    server: this.side('server'),
  };

  private side(name: Side): SshSide {
    return new SshSide(name === 'server', {
      version: (text) => this.noteVersion(name, text),
      fault: (reason) => this.emit(violation(reason)),
    });
  }

  private emit(event: InspectorEvent): void {
    if (this.isOver) return;
    this.events.push(event);
    this.isOver = lastKinds.has(event.kind);
  }

  private noteVersion(side: Side, text: string): void {
    this.emit(fact(`${side}_version`, text));
    if (!knownVersion.test(text)) this.emit(opaque('old_version'));
  }

  readonly take: InspectorSession['take'] = (side, chunk) => {
    if (this.isOver) return noEvents;
    this.sides[side].take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    if (this.sides.client.isEncrypted && this.sides.server.isEncrypted) this.emit(opaque('encrypted'));
    const { events } = this;
    this.events = [];
    return events;
  };

  readonly isDone = (): boolean => this.isOver;

  readonly end = ({ durationMs, bytesIn, bytesOut }: SessionShape): readonly InspectorEvent[] => {
    const { client, server } = this.sides;
    if (!client.isEncrypted || !server.isEncrypted) return noEvents;
    const hasTried = bytesIn - client.clearBytes >= daemonBounds.sshAttemptBytes;
    const isShort = bytesOut - server.clearBytes <= daemonBounds.sshShortBytes && durationMs <= daemonBounds.sshShortMs;
    return hasTried && isShort ? [{ kind: 'login', outcome: 'failure', confidence: 'probable' }] : noEvents;
  };
}

export const ssh: Inspector = {
  protocol: 'ssh',
  sendsFirst: 'server',
  isEnough: () => true,
  open: () => new Conversation(),
};
