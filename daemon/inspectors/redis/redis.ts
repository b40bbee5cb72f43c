/**
 * Redis and compatible servers (RESP 2 and 3): refused commands, and outcomes of AUTH and HELLO. Both may be pipelined
 * or queued in a transaction.
 */
import { Conversation } from '../framing/conversation.ts';
import { denied, fact, kept, login } from '../framing/events.ts';
import { InFlight } from '../framing/in-flight.ts';
import { type Channel, type MessageHandler, openMessages } from '../framing/messages.ts';
import { hasFirstOrHello, orTls } from '../framing/or-tls.ts';
import type { Inspector } from '../inspector.ts';
import { Commands } from './commands.ts';
import { Replies } from './replies.ts';

const defaultUser = 'default';
/** The errors of a failed login. NOAUTH is not among them: it replies to a command before a login. */
const refusal = /^-(?:WRONGPASS|ERR invalid password)/;
/** Replies that accept a login. A reply to HELLO is a map or an array, and its text is empty. */
const accepting: ReadonlySet<string> = new Set(['+OK', '']);
/** Commands after which replies cannot be counted: they have no reply, several replies, or a stream. */
const uncounted: ReadonlySet<string> = new Set([
  ...['', 'P', 'S'].flatMap((kind) => [`${kind}SUBSCRIBE`, `${kind}UNSUBSCRIBE`]),
  'MONITOR',
  'CLIENT REPLY',
  'REPLCONF', // with ACK or GETACK anywhere in it
  'SYNC',
]);

class Redis extends Conversation<Channel> {
  private readonly deniedCommands = new Set(
    this.context.service.redis?.deny_commands.map((command) => command.toUpperCase()),
  );
  /** Commands whose other words are needed too. */
  private readonly relevant = new Set([
    ...['AUTH', 'HELLO', 'CLIENT'],
    ...Array.from(this.deniedCommands).flatMap((command) => command.split(' ').slice(0, -1)),
  ]);
  private name = '';
  private user: string | undefined;
  private isUserNext = false;
  private sent = 0;
  private answered = 0;
  /** The number of the first command after which replies cannot be counted. */
  private uncountedFrom = Number.POSITIVE_INFINITY;
  private hasNoAuth = false;
  /** The users of logins: by the number of the reply, and those that a transaction has queued. */
  private readonly logins = new InFlight<number, string>(this.channel);
  private readonly queued = new InFlight<number, string>(this.channel);

  readonly client = new Commands(this.channel, {
    name: (text, count) => this.begin(text, count),
    word: (text, index, count) => this.word(text, index, count),
    end: () => this.command(),
  });

  readonly server = new Replies(this.channel, {
    reply: (text) => this.reply(text),
    nestedError: (text) => this.nested(text),
  });

  private begin(text: string, count: number): boolean {
    this.name = text.toUpperCase();
    this.isUserNext = false;
    this.user = this.name === 'AUTH' && count === 2 ? defaultUser : undefined;
    this.check(this.name);
    return this.relevant.has(this.name);
  }

  private word(text: string, index: number, count: number): void {
    if (this.isUserNext) {
      this.user = kept(text);
      this.isUserNext = false;
    } else if (index === 1) this.second(text, count);
    else if (this.name === 'HELLO') this.isUserNext = this.user === undefined && /^auth$/i.test(text);
  }

  private second(text: string, count: number): void {
    if (this.name === 'AUTH' && count > 2) this.user = kept(text);
    this.check(`${this.name} ${text.toUpperCase()}`);
  }

  private check(command: string): void {
    if (uncounted.has(command)) this.uncountedFrom = Math.min(this.uncountedFrom, this.sent);
    if (!this.deniedCommands.has(command)) return;
    this.channel.emit(fact('command', command));
    this.channel.emit(denied('command'));
  }

  private command(): void {
    const number = this.sent;
    this.sent += 1;
    if (this.user === undefined) return;
    this.logins.add(number, this.user);
    this.user = undefined;
  }

  private reply(text: string): void {
    const number = this.answered;
    const isCounted = number < this.uncountedFrom;
    this.answered += 1;
    if (text === '+QUEUED') {
      const user = isCounted ? this.logins.remove(number) : undefined;
      if (user !== undefined) this.queued.add(number, user);
      return;
    }
    if (!text.startsWith('-')) this.queued.clear();
    const user = isCounted ? this.logins.remove(number) : undefined;
    if (refusal.test(text)) this.channel.emit(login('failure', user ?? this.oldestLogin()));
    else if (user !== undefined) this.accept(text, user);
    else if (text.startsWith('-NOAUTH') && !this.hasNoAuth) {
      this.hasNoAuth = true;
      this.channel.emit(fact('command_without_login', 'true'));
    }
  }

  /** The user of the oldest login. A refusal counts for it even when it seems to reply to another command. */
  private oldestLogin(): string | undefined {
    const { first } = this.logins;
    return first === undefined ? undefined : this.logins.remove(first);
  }

  private accept(text: string, user: string): void {
    if (!accepting.has(text)) return;
    this.channel.emit(login('success', user));
    if (this.deniedCommands.size === 0) this.channel.finish();
  }

  /**
   * Handles an error in the reply to EXEC, which contains the replies to the queued commands. Any queued login may have
   * failed, so their order does not matter. When replies are not counted, a queued login is in `logins`.
   */
  private nested(text: string): void {
    if (!refusal.test(text)) return;
    const held = this.answered < this.uncountedFrom || this.queued.size > 0 ? this.queued : this.logins;
    const user = held.first === undefined ? undefined : held.remove(held.first);
    if (user !== undefined) this.channel.emit(login('failure', user));
  }
}

/** Any number of bytes is enough to connect to the upstream: the server replies to an incomplete command when it is complete. */
const anySize: MessageHandler['size'] = (_bytes, at, end) => end - at;

export const redis: Inspector = {
  isEnough: hasFirstOrHello(anySize),
  open: (context) =>
    openMessages((channel) => {
      const clear = new Redis(channel, context);
      return orTls(channel, clear, { checkHello: clear.client.judgeHello });
    }),
};
