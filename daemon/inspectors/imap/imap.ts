/**
 * Mailboxes by IMAP (RFC 9051): outcomes of LOGIN and AUTHENTICATE. Inspected until STARTTLS or COMPRESS. The client
 * must wait for a continuation request before a literal, unless the server has announced LITERAL+ or LITERAL-. A
 * literal could otherwise hide commands.
 */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { cut } from '../../../platform/cut.ts';
import { Conversation } from '../framing/conversation.ts';
import { copyStart, login, opaque, violation } from '../framing/events.ts';
import { fingerprintOf } from '../framing/fingerprint.ts';
import { InFlight } from '../framing/in-flight.ts';
import { provesPassword, saslFingerprint, saslUser } from '../framing/sasl.ts';
import { awaitTls, type Channel, type LineHandlers, openText } from '../framing/text.ts';
import type { Inspector, InspectorContext } from '../inspector.ts';
import { firstString, isArgument, type Literal, literalOf } from './literals.ts';
import { hasOtherReason, isWrongPassword } from './refusals.ts';

interface Command {
  readonly tag: string;
  readonly verb: string;
  user?: string | undefined;
  readonly mechanism?: string;
  /** Whether a refusal is about a password: the last response to a challenge proves one. */
  hasPassword?: boolean;
  fingerprint?: string | undefined;
}

/**
 * The tag and the name of a command. RFC 9051 9 also allows brackets in a tag, but Courier ends the tag there. Servers
 * also execute commands in other forms, for example with a quoted name, but replies to these could not be recognized.
 */
const commandForm = /^([^\x00-\x20"%()*+[\\\]{\x7f-\xff]+) +(?:UID +)?([A-Za-z][\w.-]*)(?: +(.*))?$/s;
const betweenForm = /^(?:DONE)? *$/i;
const statusForm = /^(\S+) (OK|NO|BAD|BYE|PREAUTH)(?: (.*))?$/is;

/** Responses that announce LITERAL+ or LITERAL- (RFC 7888). Other responses may repeat the text of a client. */
const literalPlusForm = /^(?:\* CAPABILITY|\S+ (?:OK|PREAUTH) \[CAPABILITY) [^\]]*\bLITERAL[+-]/i;

/** Commands whose replies are needed. `isLast`: the client must wait for the reply. */
const relevantCommands: Readonly<Record<string, { readonly isLast: boolean; readonly opaque?: string }>> = {
  LOGIN: { isLast: true },
  AUTHENTICATE: { isLast: true },
  STARTTLS: { isLast: true, opaque: 'starttls' },
  COMPRESS: { isLast: true, opaque: 'compression' },
};

const loginCommands: ReadonlySet<string> = new Set(['LOGIN', 'AUTHENTICATE']);

/** The first argument of LOGIN. Undefined when a literal follows. */
function userIn(argument: string): string | undefined {
  const user = firstString(argument);
  return user === undefined ? undefined : copyStart(user);
}

class Imap extends Conversation<Channel> implements LineHandlers {
  private readonly pendingCommands = new InFlight<string, Command>(this.channel);
  /** The command that a literal has interrupted. */
  private unfinishedCommand: Command | undefined;
  /** The command that waits for `+`, and the function that then continues it. */
  private pausedCommand: { readonly command: Command; readonly resume: () => void } | undefined;
  /** The login whose challenge the client answers next. */
  private pendingLogin: Command | undefined;
  private hasLiteralPlus = false;
  private isLoggedIn = false;
  private isServerUnfinished = false;

  constructor(channel: Channel, context: InspectorContext) {
    super(channel, context);
    channel.login.onAbandon = () => {
      this.dropPausedCommand();
      this.pendingLogin = undefined;
      this.pendingCommands.clear(); // the next login may have the same tag
    };
  }

  readonly client = (line: string): void => {
    if (this.pendingLogin) this.respond(this.pendingLogin, line);
    else if (this.unfinishedCommand) this.readCommandLine(this.unfinishedCommand, line);
    else this.command(line);
  };

  private command(line: string): void {
    const [, tag, word = '', argument = ''] = commandForm.exec(line) ?? [];
    if (tag === undefined) {
      if (!betweenForm.test(line)) this.channel.emit(violation('malformed_command'));
      return;
    }
    const command = this.parse(cut(tag, tag.length), word.toUpperCase(), argument);
    if (this.pendingCommands.size === 0) command.fingerprint = this.fingerprint(command, argument); // it gets its own reply
    if (!this.isLoggedIn || relevantCommands[command.verb]) this.awaitReply(command);
    this.readCommandLine(command, line, true);
  }

  private parse(tag: string, verb: string, argument: string): Command {
    if (verb === 'LOGIN') return { tag, verb, user: userIn(argument), hasPassword: true };
    if (verb !== 'AUTHENTICATE') return { tag, verb: copyStart(verb) };
    const [name = '', response] = argument.split(/ +/);
    const mechanism = copyStart(name.toUpperCase());
    if (response === undefined) return { tag, verb, mechanism };
    return {
      tag,
      verb,
      mechanism,
      user: saslUser(mechanism, response),
      hasPassword: provesPassword(mechanism, response),
    };
  }

  /** The fingerprint of the arguments of a login. A literal is not part of it. */
  private fingerprint({ verb, mechanism }: Command, argument: string): string | undefined {
    if (verb === 'LOGIN') return literalOf(argument) ? undefined : fingerprintOf(this.context, argument);
    const start = mechanism && saslFingerprint(this.context, mechanism);
    const response = argument.replace(/^\S* */, '');
    return response === '' ? start : fingerprintOf(this.context, start, response);
  }

  private awaitReply(command: Command): void {
    // The reply to one of two commands with the same tag would settle both, and failed logins would be missed.
    if (this.pendingCommands.has(command.tag)) this.channel.emit(violation('tag_in_use'));
    else this.pendingCommands.add(command.tag, command);
  }

  private readCommandLine(command: Command, line: string, isFirst = false): void {
    const literal = literalOf(line);
    this.unfinishedCommand = literal ? command : undefined;
    if (literal === 'bad' || (literal && !isArgument(line))) this.channel.emit(violation('literal'));
    else if (literal) this.awaitLiteral(command, literal, isFirst);
    else if (loginCommands.has(command.verb)) this.awaitOutcome(command);
    else if (relevantCommands[command.verb]?.isLast) this.hold(command, () => {});
  }

  /** Waits for the outcome, or for a challenge of AUTHENTICATE. */
  private awaitOutcome(command: Command): void {
    this.channel.login.begin(command.user, command.hasPassword ?? false);
    if (command.mechanism === undefined) return;
    const resume = () => {
      this.channel.login.end();
      command.hasPassword = false;
      this.pendingLogin = command;
    };
    this.pausedCommand = { command, resume };
  }

  private awaitLiteral(command: Command, literal: Literal, isFirst: boolean): void {
    const isUser = isFirst && command.verb === 'LOGIN' && command.user === undefined;
    const skip = () => this.skip(literal.bytes, isUser ? command : undefined);
    if (!literal.isNonSynchronizing) this.hold(command, skip);
    else if (this.hasLiteralPlus) skip();
    else this.channel.emit(violation('literal'));
  }

  private skip(bytes: number, named: Command | undefined): void {
    if (!named) this.channel.client.skip(bytes);
    else this.channel.client.skip(bytes, { part: (part) => this.addToUser(named, part) });
  }

  /** Adds bytes of a literal to the user. Returns whether the next part is needed too. */
  private addToUser(command: Command, part: Buffer): boolean {
    const user = command.user ?? '';
    command.user = user + part.toString('latin1', 0, Math.max(0, daemonBounds.factBytes - user.length));
    return command.user.length < daemonBounds.factBytes;
  }

  private hold(command: Command, resume: () => void): void {
    this.pausedCommand = { command, resume };
    this.channel.client.hold(`pipelined_behind_${command.verb.toLowerCase()}`);
  }

  /** Reads the response to a challenge. The first one contains the user. */
  private respond(exchange: Command, line: string): void {
    this.pendingLogin = undefined;
    const mechanism = exchange.mechanism ?? '';
    exchange.user ??= saslUser(mechanism, line);
    exchange.hasPassword = provesPassword(mechanism, line);
    exchange.fingerprint = fingerprintOf(this.context, exchange.fingerprint, line);
    this.awaitOutcome(exchange);
  }

  readonly server = (line: string): void => {
    const isContinued = this.isServerUnfinished;
    if (!isContinued && this.isUnremarkable(line)) return;
    const status = isContinued || line.startsWith('+') ? null : statusForm.exec(line);
    if (line.includes('CAPABILITY') && literalPlusForm.test(line)) this.hasLiteralPlus = true;
    this.isServerUnfinished = false;
    if (status) this.concludeCommand(status[1] ?? '', (status[2] ?? '').toUpperCase(), status[3] ?? '');
    else if (!isContinued && line.startsWith('+')) this.resume();
    else this.skipOfServer(line);
  };

  /** Whether a server's line can be skipped: no command waits for it, and it announces no literal or capability. */
  private isUnremarkable(line: string): boolean {
    const isAwaited = !this.isLoggedIn || this.pausedCommand !== undefined || this.pendingCommands.size > 0;
    return !isAwaited && !line.endsWith('}') && !line.includes('CAPABILITY');
  }

  /** Skips a literal of the server. The free text of a status response cannot announce one, but other responses can. */
  private skipOfServer(line: string): void {
    const literal = literalOf(line);
    if (literal === undefined || literal === 'bad') return;
    this.isServerUnfinished = true;
    this.channel.server.skip(literal.bytes);
  }

  private resume(): void {
    const paused = this.pausedCommand;
    this.pausedCommand = undefined;
    if (!paused) return;
    this.channel.client.release();
    paused.resume();
  }

  private concludeCommand(tag: string, outcome: string, text: string): void {
    if (this.pausedCommand?.command.tag === tag) this.dropPausedCommand();
    const command = this.pendingCommands.remove(tag);
    this.isLoggedIn ||= outcome === 'PREAUTH';
    const isFailure = outcome === 'NO' && this.isGuess(command, tag, text);
    if (isFailure || (command && loginCommands.has(command.verb))) this.channel.login.end();
    if (outcome === 'OK' && command) this.acceptLogin(command);
    else if (isFailure) this.channel.emit(login('failure', command?.user, command?.fingerprint));
  }

  private acceptLogin({ verb, user }: Command): void {
    const why = relevantCommands[verb]?.opaque;
    if (verb === 'STARTTLS') awaitTls(this.channel);
    else if (why !== undefined) this.channel.emit(opaque(why));
    else if (loginCommands.has(verb)) {
      this.isLoggedIn = true;
      this.channel.emit(login('success', user));
    }
  }

  /**
   * Whether a refusal is a failed login. A code for wrong passwords counts even in reply to another command. Before a
   * login, a refusal with an unknown tag counts too: the server has read a command that this inspector has not.
   */
  private isGuess(command: Command | undefined, tag: string, text: string): boolean {
    if (command && loginCommands.has(command.verb)) return command.hasPassword === true && !hasOtherReason(text);
    return isWrongPassword(text) || (!command && !this.isLoggedIn && tag !== '*' && !hasOtherReason(text));
  }

  /** Drops the paused command, because the server sent a final response instead of a continuation request. */
  private dropPausedCommand(): void {
    this.pausedCommand = undefined;
    this.unfinishedCommand = undefined;
    this.channel.client.release();
  }
}

export const imap: Inspector = { open: (context) => openText((channel) => new Imap(channel, context)) };
