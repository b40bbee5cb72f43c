/** File transfer (RFC 959): outcomes of logins, and data connections that would go to a third party, until AUTH TLS. */
import { Awaited } from '../framing/awaited.ts';
import { denied, login, opaque, violation } from '../framing/events.ts';
import { openText, type Talk, type Voices } from '../framing/text.ts';
import type { Inspector, InspectorContext } from '../inspector.ts';
import { goesTo, portCommands } from './port.ts';

const commandForm = /^[ \t]*([A-Za-z0-9]*)(?:[ \t]+(.*))?$/s;
const replyForm = /^(\d)(\d\d)([ -]|$)/;

/** ProFTPD says 530, too, where it has too many clients. No more of the line: some servers repeat the name of the user in it. */
const isCrowded = /^530[ -]Sorry, the maximum number of /i;

/** Telnet's interrupts, which clients send in front of ABOR (RFC 959 4.1.3). */
const telnet = /\xff(?:[\xfb-\xfe][^\n]|[\xf0-\xfa])/g;

class Conversation implements Voices {
  private readonly awaited: Awaited<string>;
  private readonly talk: Talk;
  private readonly context: InspectorContext;
  private user: string | undefined;
  /** Of a reply of several lines, which a line with the same code and a space ends; lines between are free text. */
  private openCode = '';

  constructor(talk: Talk, context: InspectorContext) {
    this.talk = talk;
    this.context = context;
    this.awaited = new Awaited(talk);
    this.awaited.push('greeting');
  }

  readonly client = (line: string): void => {
    const text = line.replace(telnet, '');
    const [, word = '', argument = ''] = commandForm.exec(text) ?? [];
    // An empty one too: a server that does not answer it would have its next answer taken for the one to it.
    if (word === '') this.talk.emit(violation('malformed_command'));
    const verb = word.toUpperCase();
    this.awaited.push(verb);
    if (verb === 'USER') this.user = argument;
    if (verb === 'AUTH') this.talk.client.hold('pipelined_behind_auth');
    if (portCommands.has(verb)) this.checkPort(verb, argument);
  };

  private checkPort(verb: string, argument: string): void {
    const { client, service } = this.context;
    if (service.ftp?.deny_foreign_port && !goesTo(client, verb, argument)) this.talk.emit(denied('foreign_port'));
  }

  readonly server = (line: string): void => {
    const [, kind = '', rest = '', mark = ''] = replyForm.exec(line) ?? [];
    const code = kind + rest;
    if (this.openCode !== '' && !(code === this.openCode && mark !== '-')) return;
    this.openCode = mark === '-' ? code : '';
    if (code === '' || mark === '-' || kind === '1') return; // 1xx: another reply follows
    this.conclude(this.awaited.shift(), code, line);
  };

  private conclude(verb: string | undefined, code: string, line: string): void {
    if (verb === 'AUTH') this.talk.client.release();
    if (verb === 'AUTH' && code === '234') this.talk.emit(opaque('starttls'));
    else if (code === '230' && (verb === 'USER' || verb === 'PASS' || verb === 'ACCT'))
      this.talk.emit(login('success', this.user));
    else if (code === '530' && (verb === 'PASS' || verb === 'ACCT') && !isCrowded.test(line))
      this.talk.emit(login('failure', this.user));
  }
}

export const ftp: Inspector = {
  protocol: 'ftp',
  speaksFirst: 'server',
  isEnough: () => true,
  open: (context) => openText((talk) => new Conversation(talk, context)),
};
