/** File transfer (RFC 959): outcomes of logins, and data connections to third parties. Inspected until AUTH TLS. */

import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { type Address, formatAddress, parseAddress } from '../../../contract/values/address.ts';
import { Awaited } from '../framing/awaited.ts';
import { Conversation } from '../framing/conversation.ts';
import { copyStart, denied, login, violation } from '../framing/events.ts';
import { fingerprintOf } from '../framing/fingerprint.ts';
import { awaitTls, type Channel, type LineHandlers, openText } from '../framing/text.ts';
import type { Inspector, InspectorContext } from '../inspector.ts';
import { failedPassive, openPassive, type Passive } from './passive.ts';
import { ReplyLines } from './reply-lines.ts';

const commandForm = /^[ \t]*([A-Za-z0-9]*)(?:[ \t]+(.*))?$/s;

/**
 * ProFTPD also uses 530 for too many clients. The pattern matches only at the start: some servers repeat the user name
 * in a refusal, and a client could choose this text as its name.
 */
const crowdedForm = /^530[ -]Sorry, the maximum number of /i;

/** Telnet interrupts before ABOR (RFC 959 4.1.3). */
const interruptForm = /^(?:\xff?[\xf2\xf4])+/;
/** Telnet negotiation, which FTP clients never start. ProFTPD and inetutils would answer it within their replies. */
const negotiationForm = /\xff[\xfa-\xfe]/;

const portForm = /^[ \t]*(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3}),\d{1,3},\d{1,3}[ \t]*$/;
const extendedForm = /^[ \t]*([\x21-\x7e])[12]\1([0-9A-Fa-f.:]{2,45})\1\d{1,5}\1[ \t]*$/;

/** Parses the argument of PORT (RFC 959 4.1.2) or EPRT (RFC 2428 2). */
function addressOf(verb: string, argument: string): Address | undefined {
  if (verb === 'EPRT') return parseAddress(extendedForm.exec(argument)?.[2] ?? '');
  const [, ...bytes] = portForm.exec(argument) ?? [];
  return parseAddress(bytes.map(Number).join('.'));
}

/** Commands that name the address of a data connection. LPRT is from RFC 1639 3. */
const portCommands: ReadonlySet<string> = new Set(['PORT', 'EPRT', 'LPRT']);

const secretCommands: ReadonlySet<string> = new Set(['PASS', 'ACCT']);

/** Whether the data connection goes to `client`. False for LPRT, and when the argument cannot be parsed. */
function goesTo(client: string, verb: string, argument: string): boolean {
  const address = verb === 'LPRT' ? undefined : addressOf(verb, argument);
  const own = parseAddress(client);
  return address !== undefined && own !== undefined && formatAddress(address) === formatAddress(own);
}

class Ftp extends Conversation<Channel> implements LineHandlers {
  private readonly awaited = new Awaited<string>(this.channel, 'greeting');
  private user: string | undefined;
  /** The number of passwords that had no reply 230 or 530 yet. */
  private pendingPasswords = 0;
  /** The fingerprint of the accepted user, then of the password too. */
  private fingerprint: string | undefined;
  private readonly replies = new ReplyLines();
  private readonly passive: Passive | undefined;

  constructor(channel: Channel, context: InspectorContext, passive?: Passive) {
    super(channel, context);
    this.passive = passive;
    channel.client.limit(daemonBounds.ftpLineBytes.login);
  }

  readonly client = (line: string): void => {
    if (negotiationForm.test(line)) this.channel.emit(violation('telnet_negotiation'));
    const text = line.replace(interruptForm, '');
    const [, word = '', argument = ''] = commandForm.exec(text) ?? [];
    // Also refuse an empty command: a server may not reply to it, and later replies would be shifted.
    if (word === '') this.channel.emit(violation('malformed_command'));
    const verb = copyStart(word.toUpperCase());
    this.addToFingerprint(verb, text);
    this.awaited.push(verb);
    if (verb === 'USER') this.beginLogin(argument);
    if (secretCommands.has(verb)) this.beginPassword();
    if (verb === 'AUTH') this.channel.client.hold('pipelined_behind_auth');
    if (portCommands.has(verb)) this.checkPort(verb, argument);
    this.passive?.command(verb, argument);
  };

  /** Only a command that waits alone surely gets its own reply. */
  private addToFingerprint(verb: string, line: string): void {
    const isAlone = this.awaited.first === undefined && this.pendingPasswords === 0;
    if (verb === 'USER') this.fingerprint = isAlone ? fingerprintOf(this.context, line) : undefined;
    if (verb === 'PASS') this.fingerprint = isAlone ? fingerprintOf(this.context, this.fingerprint, line) : undefined;
  }

  private beginLogin(user: string): void {
    this.user = copyStart(user);
    this.channel.client.limit(daemonBounds.ftpLineBytes.login);
  }

  private beginPassword(): void {
    this.pendingPasswords += 1;
    this.channel.login.begin(this.user);
  }

  private checkPort(verb: string, argument: string): void {
    const { client, service } = this.context;
    if (service.ftp?.deny_foreign_port && !goesTo(client, verb, argument)) this.channel.emit(denied('foreign_port'));
  }

  readonly server = (line: string): void => {
    const code = this.replies.read(line);
    if (code === undefined || code.startsWith('1')) return; // 1xx: another reply follows
    const failure = this.passive?.failureOf(line);
    if (failure !== undefined) this.channel.emit(failedPassive(failure));
    this.concludeReply(this.awaited.shift(), code, line);
  };

  private concludeReply(verb: string | undefined, code: string, line: string): void {
    if (verb === 'AUTH') this.channel.client.release();
    if (verb === 'USER' && !code.startsWith('33')) this.fingerprint = undefined;
    if (secretCommands.has(verb ?? '') || code === '530') this.channel.login.end();
    if (verb === 'AUTH' && code === '234') this.beginEncryption();
    else if (code === '230' || code === '530') this.concludeLogin(verb, code, line);
  }

  /**
   * Reports the outcome of a login.
   * - While a password waits for its outcome, a refusal is that outcome, even as the reply to another command: an extra
   *   reply shifts all later ones.
   * - When no password waits, 530 to a command only says that the command needs a login.
   * - 230 to USER is a login without a password, and ends no wait.
   */
  private concludeLogin(verb: string | undefined, code: string, line: string): void {
    const isLogin = this.pendingPasswords > 0 || (code === '230' && verb === 'USER') || verb === undefined;
    if (!isLogin || crowdedForm.test(line)) return;
    const fingerprint = verb === 'PASS' && this.pendingPasswords === 1 ? this.fingerprint : undefined;
    if (code === '530' || secretCommands.has(verb ?? ''))
      this.pendingPasswords = Math.max(0, this.pendingPasswords - 1);
    if (code === '230') this.channel.client.limit(daemonBounds.ftpLineBytes.session);
    this.channel.emit(
      login(code === '230' ? 'success' : 'failure', this.user, code === '530' ? fingerprint : undefined),
    );
  }

  private beginEncryption(): void {
    if (this.passive) this.channel.emit(failedPassive('encrypted'));
    awaitTls(this.channel);
  }
}

export const ftp: Inspector = {
  open: (context) => {
    const { openDataPort } = context;
    if (!openDataPort) return openText((channel) => new Ftp(channel, context));
    return openPassive(openDataPort, (passive) => openText((channel) => new Ftp(channel, context, passive)));
  },
};
