/**
 * SSH up to its key exchange. A session counts as a probable failure when the client sent enough bytes for a login, the
 * server sent less than a shell does, and the session was short.
 */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { fact, opaque, violation } from '../framing/events.ts';
import { createReport } from '../framing/report.ts';
import type { Inspector, InspectorEvent, InspectorSession, SessionShape, Side } from '../inspector.ts';
import { SshSide } from './side.ts';

const knownVersionForm = /^SSH-(?:2\.0|1\.99)-/;

function open(): InspectorSession {
  const { emit, session } = createReport();
  const side = (name: Side): SshSide =>
    new SshSide(name === 'server', {
      version: (text) => {
        emit(fact(`${name}_version`, text));
        if (!knownVersionForm.test(text)) emit(opaque('old_version'));
      },
      fault: (reason) => emit(violation(reason)),
    });
  const sides: Readonly<Record<Side, SshSide>> = { client: side('client'), server: side('server') };
  const { client, server } = sides;
  const end = ({ durationMs, bytesIn, bytesOut }: SessionShape): readonly InspectorEvent[] => {
    if (!client.isEncrypted || !server.isEncrypted) return [];
    const hasTried = bytesIn - client.clearBytes >= daemonBounds.sshAttemptBytes;
    const isShort = bytesOut - server.clearBytes <= daemonBounds.sshShortBytes && durationMs <= daemonBounds.sshShortMs;
    return hasTried && isShort ? [{ kind: 'login', outcome: 'failure', confidence: 'probable' }] : [];
  };
  const read = (name: Side, chunk: Buffer): void => {
    sides[name].feed(chunk);
    if (client.isEncrypted && server.isEncrypted) emit(opaque('encrypted'));
  };
  return { ...session(read), end };
}

export const ssh: Inspector = { open };
