/** File transfer (RFC 959): outcomes of logins, and data connections to third parties, until AUTH TLS. */
import { type Address, formatAddress, parseAddress } from '../../../contract/values/address.ts';
import { Awaited } from '../framing/awaited.ts';
import { Conversation } from '../framing/conversation.ts';
import { denied, kept, login, opaque, violation } from '../framing/events.ts';
import { type Channel, type LineHandlers, openText } from '../framing/text.ts';
import type { Inspector, InspectorContext } from '../inspector.ts';
import { failedPassive, openPassive, type Passive } from './passive.ts';
import { ReplyLines } from './reply-lines.ts';

const commandForm = /^[ \t]*([A-Za-z0-9]*)(?:[ \t]+(.*))?$/s;

/** ProFTPD uses 530 also for too many clients. Only this prefix is matched: some servers repeat the user name after it. */
const isCrowded = /^530[ -]Sorry, the maximum number of /i;

/** Telnet interrupts, which clients send before ABOR (RFC 959 4.1.3). */
const telnet = /\xff(?:[\xfb-\xfe][^\n]|[\xf0-\xfa])/g;

const portForm = /^[ \t]*(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3}),\d{1,3},\d{1,3}[ \t]*$/;
const extendedForm = /^[ \t]*([\x21-\x7e])[12]\1([0-9A-Fa-f.:]{2,45})\1\d{1,5}\1[ \t]*$/;

/** The address in the argument of PORT (RFC 959 4.1.2) or EPRT (RFC 2428 2). */
function addressOf(verb: string, argument: string): Address | undefined {
  if (verb === 'EPRT') return parseAddress(extendedForm.exec(argument)?.[2] ?? '');
  const [, ...bytes] = portForm.exec(argument) ?? [];
  return parseAddress(bytes.map(Number).join('.'));
}

/** Commands that name the address of a data connection; LPRT: RFC 1639 3. */
const portCommands: ReadonlySet<string> = new Set(['PORT', 'EPRT', 'LPRT']);

/** Whether the data connection goes to `client` (canonical text). An argument that cannot be parsed goes elsewhere. */
function goesTo(client: string, verb: string, argument: string): boolean {
  const address = verb === 'LPRT' ? undefined : addressOf(verb, argument);
  const own = parseAddress(client);
  return address !== undefined && own !== undefined && formatAddress(address) === formatAddress(own);
}

class Ftp extends Conversation<Channel> implements LineHandlers {
  private readonly awaited = new Awaited<string>(this.channel, 'greeting');
  private user: string | undefined;
  private readonly replies = new ReplyLines();
  private readonly passive: Passive | undefined;

  constructor(channel: Channel, context: InspectorContext, passive?: Passive) {
    super(channel, context);
    this.passive = passive;
  }

  readonly client = (line: string): void => {
    const text = line.replace(telnet, '');
    const [, word = '', argument = ''] = commandForm.exec(text) ?? [];
    // Includes an empty one: a server that does not reply to it would shift all later replies.
    if (word === '') this.channel.emit(violation('malformed_command'));
    const verb = kept(word.toUpperCase());
    this.awaited.push(verb);
    if (verb === 'USER') this.user = kept(argument);
    if (verb === 'AUTH') this.channel.client.hold('pipelined_behind_auth');
    if (portCommands.has(verb)) this.checkPort(verb, argument);
    this.passive?.command(verb, argument);
  };

  private checkPort(verb: string, argument: string): void {
    const { client, service } = this.context;
    if (service.ftp?.deny_foreign_port && !goesTo(client, verb, argument)) this.channel.emit(denied('foreign_port'));
  }

  readonly server = (line: string): void => {
    const code = this.replies.take(line);
    if (code === undefined || code.startsWith('1')) return; // 1xx: another reply follows
    const failure = this.passive?.failureOf(line);
    if (failure !== undefined) this.channel.emit(failedPassive(failure));
    this.conclude(this.awaited.shift(), code, line);
  };

  private conclude(verb: string | undefined, code: string, line: string): void {
    if (verb === 'AUTH') this.channel.client.release();
    if (verb === 'AUTH' && code === '234') this.encrypt();
    else if (code === '230' && (verb === 'USER' || verb === 'PASS' || verb === 'ACCT'))
      this.channel.emit(login('success', this.user));
    else if (code === '530' && (verb === 'PASS' || verb === 'ACCT') && !isCrowded.test(line))
      this.channel.emit(login('failure', this.user));
  }

  private encrypt(): void {
    if (this.passive) this.channel.emit(failedPassive('encrypted'));
    this.channel.emit(opaque('starttls'));
  }
}

export const ftp: Inspector = {
  open: (context) => {
    const { openDataPort } = context;
    if (!openDataPort) return openText((channel) => new Ftp(channel, context));
    return openPassive(openDataPort, (passive) => openText((channel) => new Ftp(channel, context, passive)));
  },
};
