/** Redis and compatible servers (RESP 2 and 3): refused commands, and outcomes of AUTH and HELLO. */
import { Conversation } from '../framing/conversation.ts';
import { copyStart, denied, fact, login, violation } from '../framing/events.ts';
import { fingerprintOf } from '../framing/fingerprint.ts';
import { InFlight } from '../framing/in-flight.ts';
import { type Channel, type MessageHandler, openMessages } from '../framing/messages.ts';
import { hasFirstOrHello, orTls } from '../framing/or-tls.ts';
import type { Inspector } from '../inspector.ts';
import { Commands, wholeWordBytes } from './commands.ts';
import { Replies } from './replies.ts';

const defaultUser = 'default';
const loginCommands: ReadonlySet<string> = new Set(['AUTH', 'HELLO']);
/** The errors of a failed login. NOAUTH is not among them: it replies to a command before a login. */
const refusalForm = /^-(?:WRONGPASS|ERR invalid password)/;
/** Replies that accept a login. A reply to HELLO is a map or an array, and its text is empty. */
const acceptingReplies: ReadonlySet<string> = new Set(['+OK', '']);
/** Commands after which replies cannot be counted: they have no reply, several replies, or a stream. */
const uncountedCommands: ReadonlySet<string> = new Set([
  ...['', 'P', 'S'].flatMap((kind) => [`${kind}SUBSCRIBE`, `${kind}UNSUBSCRIBE`]),
  'MONITOR',
  'CLIENT REPLY',
  'REPLCONF', // its argument ACK or GETACK can be anywhere
  'SYNC',
]);

/** Words of a login that is recognized when it is repeated: HELLO 3 AUTH user password SETNAME name. */
const mostLoginWords = 7;

interface Login {
  readonly user: string;
  readonly fingerprint: string | undefined;
}

class Redis extends Conversation<Channel> {
  private readonly deniedCommands = new Set(
    this.context.service.redis?.deny_commands.map((command) => command.toUpperCase()),
  );
  private readonly relevantCommands = new Set([
    ...['AUTH', 'HELLO', 'CLIENT'],
    ...Array.from(this.deniedCommands).flatMap((command) => command.split(' ').slice(0, -1)),
  ]);
  private name = '';
  private user: string | undefined;
  private fingerprint: string | undefined;
  private isUserNext = false;
  private sentCount = 0;
  private answeredCount = 0;
  /** The number of the first command after which replies cannot be counted. */
  private uncountedFrom = Number.POSITIVE_INFINITY;
  private hasNoAuth = false;
  /** The logins without an outcome, by the number of the expected reply. */
  private readonly logins = new InFlight<number, Login>(this.channel);
  /** The logins that the server has queued in a transaction, by the number of the reply `+QUEUED`. */
  private readonly queuedLogins = new InFlight<number, Login>(this.channel);
  /** The number of the EXEC that runs a queued login. */
  private execNumber = -1;

  readonly client = new Commands(this.channel, {
    name: (text, count) => this.beginCommand(text, count),
    word: (text, index, count) => this.readWord(text, index, count),
    end: () => this.endCommand(),
  });

  readonly server = new Replies(this.channel, {
    reply: (text) => this.readReply(text),
    nestedError: (text) => this.readNestedError(text),
  });

  private beginCommand(text: string, count: number): boolean {
    this.name = text.toUpperCase();
    this.isUserNext = false;
    this.user = this.name === 'AUTH' && count === 2 ? defaultUser : undefined;
    const isAlone = this.sentCount === this.answeredCount && count <= mostLoginWords; // it gets its own reply
    this.fingerprint = isAlone && loginCommands.has(this.name) ? fingerprintOf(this.context, this.name) : undefined;
    this.checkCommand(this.name);
    return this.relevantCommands.has(this.name);
  }

  private readWord(text: string, index: number, count: number): void {
    if (this.fingerprint !== undefined)
      this.fingerprint = text.length < wholeWordBytes ? fingerprintOf(this.context, this.fingerprint, text) : undefined;
    if (this.isUserNext) {
      this.user = copyStart(text);
      this.isUserNext = false;
    } else if (index === 1) this.readSecondWord(text, count);
    else if (this.name === 'HELLO') this.isUserNext = this.user === undefined && /^auth$/i.test(text);
  }

  private readSecondWord(text: string, count: number): void {
    if (this.name === 'AUTH' && count > 2) this.user = copyStart(text);
    this.checkCommand(`${this.name} ${text.toUpperCase()}`);
  }

  private checkCommand(command: string): void {
    if (uncountedCommands.has(command)) this.uncountedFrom = Math.min(this.uncountedFrom, this.sentCount);
    if (!this.deniedCommands.has(command)) return;
    this.channel.emit(fact('command', command));
    this.channel.emit(denied('command'));
  }

  private endCommand(): void {
    const number = this.sentCount;
    this.sentCount += 1;
    if (this.name === 'EXEC' && this.queuedLogins.size > 0) this.beginQueuedLogin(number);
    if (this.user === undefined) return;
    this.logins.add(number, { user: this.user, fingerprint: this.fingerprint });
    this.channel.login.begin(this.user);
    this.user = undefined;
  }

  private beginQueuedLogin(number: number): void {
    const { first } = this.queuedLogins;
    this.execNumber = number;
    this.channel.login.begin(first === undefined ? undefined : this.queuedLogins.get(first)?.user);
  }

  private readReply(text: string): void {
    const number = this.answeredCount;
    const isCounted = number < this.uncountedFrom;
    this.answeredCount += 1;
    if (this.endsWait(number, isCounted, text)) this.channel.login.end();
    if (text === '+QUEUED') {
      const queued = isCounted ? this.logins.remove(number) : undefined;
      if (queued) this.queueLogin(number, queued);
      return;
    }
    if (!text.startsWith('-')) this.queuedLogins.clear();
    const own = isCounted ? this.logins.remove(number) : undefined;
    if (refusalForm.test(text))
      this.channel.emit(login('failure', own?.user ?? this.removeOldestLogin(), own?.fingerprint));
    else if (own) this.acceptLogin(text, own.user);
    else if (text.startsWith('-NOAUTH') && !this.hasNoAuth) {
      this.hasNoAuth = true;
      this.channel.emit(fact('command_without_login', 'true'));
    }
  }

  /**
   * Whether a reply ends the wait of the client. Where replies cannot be counted, only a reply that no command before a
   * login has: the client could send many such commands first.
   */
  private endsWait(number: number, isCounted: boolean, text: string): boolean {
    if (refusalForm.test(text)) return true;
    return isCounted ? number === this.execNumber || this.logins.has(number) : acceptingReplies.has(text);
  }

  /** A transaction with several logins would try them all at once. */
  private queueLogin(number: number, queued: Login): void {
    if (this.queuedLogins.size > 0) this.channel.emit(violation('logins_in_transaction'));
    this.queuedLogins.add(number, queued);
  }

  /** Removes the oldest login and returns its user. A refusal counts for it even as the reply to another command. */
  private removeOldestLogin(): string | undefined {
    const { first } = this.logins;
    return first === undefined ? undefined : this.logins.remove(first)?.user;
  }

  private acceptLogin(text: string, user: string): void {
    if (!acceptingReplies.has(text)) return;
    this.channel.emit(login('success', user));
    if (this.deniedCommands.size === 0) this.channel.finish();
  }

  /**
   * Handles an error in the reply to EXEC, which contains the replies to the queued commands. Any queued login may have
   * failed, so their order does not matter.
   */
  private readNestedError(text: string): void {
    if (!refusalForm.test(text)) return;
    const held =
      this.answeredCount < this.uncountedFrom || this.queuedLogins.size > 0 ? this.queuedLogins : this.logins;
    const failed = held.first === undefined ? undefined : held.remove(held.first);
    if (failed) this.channel.emit(login('failure', failed.user));
  }
}

/** In clear text, any number of bytes is enough to connect to the upstream. */
const anySize: MessageHandler['size'] = (_bytes, at, end) => end - at;

export const redis: Inspector = {
  isEnough: hasFirstOrHello(anySize),
  open: (context) =>
    openMessages((channel) => {
      const clear = new Redis(channel, context);
      return orTls(channel, clear, { checkHello: clear.client.checkHello });
    }),
};
