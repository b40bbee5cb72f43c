/**
 * Mail (RFC 5321): refused HELO names and sender domains, and outcomes of AUTH. After DATA and STARTTLS, which end a
 * group of commands (RFC 2920 3.1), the client must wait for the reply. After AUTH, its bytes wait.
 */
import { Awaited } from '../framing/awaited.ts';
import { Conversation } from '../framing/conversation.ts';
import { copyStart, denied, fact, login, violation } from '../framing/events.ts';
import { fingerprintOf } from '../framing/fingerprint.ts';
import { hostNames } from '../framing/host-names.ts';
import { provesPassword, saslFingerprint, saslUser } from '../framing/sasl.ts';
import { awaitTls, type Channel, type LineHandlers, openText } from '../framing/text.ts';
import type { Inspector, InspectorContext } from '../inspector.ts';
import { isPlainPath, senderDomain } from './mail-path.ts';

const commandForm = /^[ \t]*([A-Za-z0-9-]*)(?:[ \t]+(.*))?$/s;
const replyForm = /^(\d{3})([ -]?)(.*)$/;
/** At most nine digits, which fit into 32 bits: Exim drops higher bits. */
const chunkForm = /^(\d{1,9})(?:[ \t]+LAST)?[ \t]*$/i;

/** The reply to a failed login (RFC 4954 6). */
const refusalCode = '535';
/**
 * Texts of this reply for other reasons: enhanced codes (RFC 5248 2.4 and 3), and the mechanisms that Postfix does not
 * support, with Dovecot and with Cyrus SASL.
 */
const otherRefusalForm =
  /^5\.7\.(?:9|1[0-4])(?: |$)|^5\.7\.8 Error: authentication failed: (?:Invalid authentication mechanism|no mechanism available)$/;

const lastCommandsOfGroup: ReadonlySet<string> = new Set(['DATA', 'STARTTLS']);

interface Auth {
  readonly mechanism: string;
  user: string | undefined;
  /** Whether a refusal is about a password: the last response to a challenge proves one. */
  hasPassword: boolean;
  fingerprint: string | undefined;
}

class Smtp extends Conversation<Channel> implements LineHandlers {
  private readonly awaited = new Awaited<string>(this.channel, 'greeting');
  private auth: Auth | undefined;
  private hasChunking = false;
  /** HELO, EHLO and LHLO that the server has not replied to. */
  private openGreetings = 0;
  /** The argument of BDAT that arrived before the reply to EHLO, as Exim sends it to a server that it has met before. */
  private earlyChunk: string | undefined;
  private readonly options = this.context.service.smtp;
  private readonly deniedDomains = this.options?.deny_domains ?? [];
  private readonly isDeniedDomain = hostNames(this.deniedDomains);

  constructor(channel: Channel, context: InspectorContext) {
    super(channel, context);
    channel.login.onAbandon = () => {
      this.auth = undefined;
      if (this.earlyChunk !== undefined) channel.client.skip(Number.POSITIVE_INFINITY);
    };
  }

  readonly client = (line: string): void => {
    if (this.awaited.first === 'AUTH' && this.auth) this.respond(this.auth, line);
    else this.readCommand(line);
  };

  private readCommand(line: string): void {
    const [, verb = '', argument = ''] = commandForm.exec(line) ?? [];
    // Also refuse an empty command: a server may not reply to it, and later replies would be shifted.
    if (verb === '') this.channel.emit(violation('malformed_command'));
    if (this.earlyChunk !== undefined) this.channel.emit(violation('bdat'));
    const command = copyStart(verb.toUpperCase());
    this.awaited.push(command);
    if (lastCommandsOfGroup.has(command)) this.channel.client.hold(`pipelined_behind_${command.toLowerCase()}`);
    this.commands[command]?.(argument);
  }

  private readonly commands: Readonly<Record<string, (argument: string) => void>> = {
    HELO: (name) => this.greet(name),
    EHLO: (name) => this.greet(name),
    LHLO: (name) => this.greet(name),
    MAIL: (argument) => this.beginMail(argument),
    AUTH: (argument) => this.authenticate(argument),
    BDAT: (argument) => this.sendChunk(argument),
  };

  private greet(argument: string): void {
    this.hasChunking = false; // HELO withdraws the extensions of EHLO
    this.openGreetings += 1;
    const name = argument.trim();
    this.channel.emit(fact('helo', name));
    const isDenied = this.options?.deny_helo.some((entry) => entry.toLowerCase() === name.toLowerCase());
    if (isDenied) this.channel.emit(denied('helo'));
  }

  private beginMail(argument: string): void {
    const domain = senderDomain(argument);
    if (this.options?.require_starttls) this.channel.emit(denied('starttls_required'));
    else if (this.isDeniedDomain(domain)) this.channel.emit(denied('sender_domain'));
    else if (this.deniedDomains.length > 0 && !isPlainPath(argument)) this.channel.emit(denied('sender_path'));
    else if (domain !== '') this.channel.emit(fact('sender_domain', domain));
  }

  private authenticate(argument: string): void {
    if (this.options?.require_starttls) this.channel.emit(denied('starttls_required'));
    const [name = '', response] = argument.trim().split(/[ \t]+/);
    const mechanism = name.toUpperCase();
    const isAlone = this.awaited.first === 'AUTH'; // it gets its own reply
    const fingerprint = isAlone ? saslFingerprint(this.context, mechanism) : undefined;
    this.auth = { mechanism, user: undefined, hasPassword: false, fingerprint };
    if (response === undefined) this.channel.login.hold();
    else this.respond(this.auth, response);
  }

  /** Reads the response to a challenge. The first one contains the user. */
  private respond(auth: Auth, line: string): void {
    auth.user ??= saslUser(auth.mechanism, line);
    auth.hasPassword = provesPassword(auth.mechanism, line);
    auth.fingerprint = fingerprintOf(this.context, auth.fingerprint, line);
    this.channel.login.begin(auth.user, auth.hasPassword);
  }

  /**
   * Skips the content of a chunk. A server without CHUNKING would execute the content as commands, so the content waits
   * until the server has said whether it has CHUNKING.
   */
  private sendChunk(argument: string): void {
    if (this.openGreetings > 0) {
      this.earlyChunk = argument;
      this.channel.login.hold();
      return;
    }
    const size = chunkForm.exec(argument)?.[1];
    if (size === undefined || !this.hasChunking) this.channel.emit(violation('bdat'));
    else this.channel.client.skip(Number(size));
  }

  readonly server = (line: string): void => {
    const [, code = '', mark = '', text = ''] = replyForm.exec(line) ?? [];
    const command = this.awaited.first;
    if (code === '') return;
    if (code === refusalCode && mark !== '-') this.concludeRefusal(text);
    if (command === undefined) return;
    if (command === 'EHLO' && code === '250' && /^CHUNKING\b/i.test(text)) this.hasChunking = true;
    if (mark === '-') return;
    if (lastCommandsOfGroup.has(command)) this.channel.client.release();
    if (command === 'AUTH') this.channel.login.end();
    if (command === 'AUTH' && code === '334') {
      if (this.auth) this.auth.hasPassword = false;
      return;
    }
    this.awaited.shift();
    this.replies[command]?.(code);
  };

  private concludeGreeting(): void {
    this.openGreetings -= 1;
    const chunk = this.earlyChunk;
    if (chunk === undefined || this.openGreetings > 0) return;
    this.earlyChunk = undefined;
    this.channel.login.end();
    this.sendChunk(chunk);
  }

  private readonly replies: Readonly<Record<string, (code: string) => void>> = {
    HELO: () => this.concludeGreeting(),
    EHLO: () => this.concludeGreeting(),
    LHLO: () => this.concludeGreeting(),
    AUTH: (code) => this.concludeLogin(code),
    STARTTLS: (code) => {
      if (code === '220') awaitTls(this.channel);
    },
    DATA: (code) => {
      if (code === '354') this.channel.client.skipMessage(true, () => this.awaited.push('message'));
    },
  };

  private concludeLogin(code: string): void {
    if (code === '235') this.channel.emit(login('success', this.auth?.user));
    this.auth = undefined;
  }

  /** Handles the reply to a failed login. It counts even when it seems to reply to another command. */
  private concludeRefusal(text: string): void {
    const { auth } = this;
    this.auth = undefined;
    this.channel.login.end();
    const isGuess = auth === undefined || auth.hasPassword;
    const fingerprint = this.awaited.first === 'AUTH' ? auth?.fingerprint : undefined; // no other command got the reply
    if (isGuess && !otherRefusalForm.test(text)) this.channel.emit(login('failure', auth?.user, fingerprint));
  }
}

export const smtp: Inspector = {
  open: (context) => openText((channel) => new Smtp(channel, context)),
};
