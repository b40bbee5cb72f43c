/** FTP in passive mode. Replies announce a port of this host in place of the server's data port. */
import { fact, violation } from '../framing/events.ts';
import type { DataPort, InspectorContext, InspectorEvent, InspectorSession } from '../inspector.ts';
import { passiveReplies } from './announced.ts';
import { HeldReplies } from './held-replies.ts';

type OpenDataPort = NonNullable<InspectorContext['openDataPort']>;

export const failedPassive = (why: string): InspectorEvent => fact('passive_failed', why);

/** Real servers send this reply when no port is free. Clients report it, and may try again. */
const refusalReply = "425 Can't open data connection.";

export class Passive {
  private readonly openDataPort: OpenDataPort;
  /** The last command whose reply may announce an endpoint. */
  private requestedVerb = '';
  /** The reasons of refusals that were sent and not inspected yet, oldest first. */
  private readonly failures: string[] = [];

  constructor(openDataPort: OpenDataPort) {
    this.openDataPort = openDataPort;
  }

  /** Records a command. `EPSV ALL` only announces that the client uses no other command (RFC 2428 4). */
  command(verb: string, argument: string): void {
    if (verb === 'PASV' || (verb === 'EPSV' && !/^all\s*$/i.test(argument))) this.requestedVerb = verb;
  }

  readonly replace = (code: string, text: string): string => {
    const port = this.open(code, text);
    if (port.ok) return `${code} ${passiveReplies[code]?.format(port.host, port.port)}`;
    this.failures.push(port.why);
    return refusalReply;
  };

  private open(code: string, text: string): DataPort {
    const reply = passiveReplies[code];
    if (!reply || this.requestedVerb !== reply.verb) return { ok: false, why: 'unexpected_reply' };
    this.requestedVerb = '';
    const announced = reply.parse(text);
    return announced ? this.openDataPort(announced) : { ok: false, why: 'malformed_reply' };
  }

  failureOf(line: string): string | undefined {
    return line === refusalReply ? this.failures.shift() : undefined;
  }
}

/** Wraps an inspection, so that it inspects the bytes that the client gets. */
export function openPassive(
  openDataPort: OpenDataPort,
  open: (passive: Passive) => InspectorSession,
): InspectorSession {
  const passive = new Passive(openDataPort);
  const session = open(passive);
  const replies = new HeldReplies(passive.replace);

  const feedReplies = (chunk: Buffer): readonly InspectorEvent[] => {
    const passing = replies.feed(chunk);
    if (!passing) return [violation('passive_reply_too_long')];
    const events = session.feed('server', passing);
    const bytes = session.isDone() ? Buffer.concat([passing, replies.flush()]) : passing;
    return bytes === chunk ? events : [...events, { kind: 'instead', bytes }];
  };
  return {
    ...session,
    feed: (side, chunk) => {
      if (side === 'client' || session.isDone()) return session.feed(side, chunk);
      return feedReplies(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    },
  };
}
