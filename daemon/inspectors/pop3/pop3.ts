/** Mailboxes by POP3 (RFC 1939): outcomes of USER and PASS, APOP and AUTH. Inspected until STLS. */
import { Awaited } from '../framing/awaited.ts';
import { Conversation } from '../framing/conversation.ts';
import { copyStart, login, violation } from '../framing/events.ts';
import { fingerprintOf } from '../framing/fingerprint.ts';
import { provesPassword, saslFingerprint, saslUser } from '../framing/sasl.ts';
import { awaitTls, type Channel, type LineHandlers, openText } from '../framing/text.ts';
import type { Inspector, InspectorContext } from '../inspector.ts';

interface Command {
  readonly verb: string;
  readonly hasArgument: boolean;
  user?: string | undefined;
  readonly mechanism?: string;
  /** Whether a refusal is about a password: the last response to a challenge proves one. */
  hasPassword?: boolean;
  fingerprint?: string | undefined;
}

const commandForm = /^[ \t]*([A-Za-z0-9]*)(?:[ \t]+(.*))?$/s;

/** Commands with multi-line replies: always, or only without an argument. */
const multiLineCommands: Readonly<Record<string, 'always' | 'bare'>> = {
  RETR: 'always',
  TOP: 'always',
  CAPA: 'always',
  LIST: 'bare',
  UIDL: 'bare',
  AUTH: 'bare',
};

const loginVerbs: ReadonlySet<string> = new Set(['PASS', 'APOP', 'AUTH']);

/** Refusals for other reasons than a wrong password. */
const otherRefusals: readonly RegExp[] = [
  /^-ERR \[(?:IN-USE|LOGIN-DELAY|SYS\/|REFERRAL )/i, // RFC 2449 8.1, RFC 3206 4; Dovecot refers to another server
  // Dovecot sends these two with the code of a wrong password.
  /^-ERR (?:\[AUTH\] )?(?:plain|clear)text authentication disallowed\b/i,
  /^-ERR (?:\[AUTH\] )?Unsupported authentication mechanism\b/i,
];

class Pop3 extends Conversation<Channel> implements LineHandlers {
  private readonly awaited = new Awaited<Command>(this.channel, { verb: 'greeting', hasArgument: false });
  /** Logins whose outcome is not known yet. */
  private readonly logins = new Set<Command>();
  /** Whether a reply came without a command: the server has then read more commands than this inspector. */
  private isServerAhead = false;
  private user: string | undefined;
  /** The fingerprint of the accepted user. */
  private userFingerprint: string | undefined;
  /**
   * Whether the server has accepted a user. Undefined before the first reply to USER. While it is false, a refused
   * password is not a guess. Once true, it stays true, because Courier and Cyrus keep the accepted user.
   */
  private isUserAccepted: boolean | undefined;

  constructor(channel: Channel, context: InspectorContext) {
    super(channel, context);
    channel.login.onAbandon = () => {
      while (this.awaited.first) this.awaited.shift();
    };
  }

  readonly client = (line: string): void => {
    const exchange = this.awaited.first;
    if (exchange?.mechanism === undefined) this.readCommand(line);
    else this.respond(exchange, exchange.mechanism, line);
  };

  private readCommand(line: string): void {
    const [, word = '', argument = ''] = commandForm.exec(line) ?? [];
    // Also refuse an empty command: a server may not reply to it, and later replies would be shifted.
    if (word === '') this.channel.emit(violation('malformed_command'));
    if (this.isServerAhead) this.channel.emit(violation('reply_without_command'));
    const verb = copyStart(word.toUpperCase());
    const parsed = this.parse(verb, argument.trim());
    if (this.awaited.first === undefined) parsed.fingerprint = this.fingerprint(parsed, line); // it gets its own reply
    this.awaited.push(parsed);
    if (verb === 'STLS') this.channel.client.hold('pipelined_behind_stls');
    if (!loginVerbs.has(verb) || (verb === 'AUTH' && !parsed.hasArgument)) return;
    this.logins.add(parsed);
    this.channel.login.begin(parsed.user, parsed.hasPassword ?? false);
  }

  private parse(verb: string, argument: string): Command {
    const command = { verb, hasArgument: argument !== '' };
    const [first = '', second] = argument.split(/[ \t]+/);
    if (verb === 'USER') this.user = copyStart(argument);
    if (verb === 'PASS') return { ...command, user: this.user, hasPassword: true };
    if (verb === 'APOP') return { ...command, user: copyStart(first), hasPassword: true };
    if (verb !== 'AUTH' || first === '') return command;
    const mechanism = copyStart(first.toUpperCase());
    if (second === undefined) return { ...command, mechanism };
    const hasPassword = provesPassword(mechanism, second);
    return { ...command, mechanism, user: saslUser(mechanism, second), hasPassword };
  }

  private fingerprint({ verb, mechanism, hasPassword }: Command, line: string): string | undefined {
    if (verb === 'USER') return fingerprintOf(this.context, line);
    if (verb === 'PASS') return fingerprintOf(this.context, this.userFingerprint, line);
    const start = mechanism && saslFingerprint(this.context, mechanism);
    return hasPassword ? fingerprintOf(this.context, start, line) : start;
  }

  /** Reads the response to a challenge. The first one contains the user. */
  private respond(exchange: Command, mechanism: string, line: string): void {
    exchange.user ??= saslUser(mechanism, line);
    exchange.hasPassword = provesPassword(mechanism, line);
    exchange.fingerprint = fingerprintOf(this.context, exchange.fingerprint, line);
    this.channel.login.begin(exchange.user, exchange.hasPassword);
  }

  readonly server = (line: string): void => {
    const command = this.awaited.first;
    const isOk = /^\+OK(?: |$)/i.test(line);
    const isReply = isOk || /^-ERR/i.test(line) || line.startsWith('+');
    if (!isReply) return; // a line of a multi-line reply
    if (!command) this.isServerAhead = true;
    else if (line.startsWith('+') && !isOk) this.challenge(command);
    else this.concludeCommand(command, isOk, line);
  };

  private challenge(command: Command): void {
    if (command.mechanism === undefined) return;
    command.hasPassword = false;
    this.channel.login.end(); // the client continues
  }

  private concludeCommand(command: Command, isOk: boolean, line: string): void {
    const { verb, hasArgument } = command;
    const extent = multiLineCommands[verb];
    this.awaited.shift();
    if (verb === 'STLS') this.channel.client.release();
    if (this.logins.has(command)) this.channel.login.end();
    if (isOk && verb === 'STLS') awaitTls(this.channel);
    else if (!isOk) this.concludeRefusal(command, line);
    else if (this.logins.delete(command)) this.channel.emit(login('success', command.user));
    else if (extent && (extent === 'always' || !hasArgument)) this.channel.server.skipMessage(false, () => {});
    if (verb !== 'USER') return;
    this.isUserAccepted ||= isOk;
    this.userFingerprint = isOk ? command.fingerprint : undefined;
  }

  /**
   * Handles a refusal. While a login with a password has no outcome, a refusal counts for it, even in reply to another
   * command: an extra reply shifts all later ones.
   */
  private concludeRefusal(command: Command, line: string): void {
    const isOwn = this.logins.delete(command);
    const pending = isOwn && command.hasPassword ? command : [...this.logins].find((one) => one.hasPassword);
    const isWithoutUser = isOwn && command.verb === 'PASS' && this.isUserAccepted === false;
    if (!pending || isWithoutUser || otherRefusals.some((form) => form.test(line))) return;
    this.logins.delete(pending);
    this.channel.login.end();
    this.channel.emit(login('failure', pending.user, pending === command ? pending.fingerprint : undefined));
  }
}

export const pop3: Inspector = { open: (context) => openText((channel) => new Pop3(channel, context)) };
