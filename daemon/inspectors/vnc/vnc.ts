/** VNC (RFB 3.3, 3.7 and 3.8, RFC 6143 7.1): the security type, and the result of the login. VNC has no user names. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { Conversation } from '../framing/conversation.ts';
import { fact, login, opaque, violation } from '../framing/events.ts';
import { type Channel, type MessageHandler, openMessages } from '../framing/messages.ts';
import type { Inspector, InspectorContext, Side } from '../inspector.ts';

const versionBytes = 12;
const versionForm = /^RFB (\d{3})\.(\d{3})\n$/;
const challengeBytes = 16;
const textOf = (message: Buffer, at: number) => message.toString('latin1', at);

/** Security types that are parsed. After any other type, the bytes are opaque. */
const securityTypes = { none: 1, vnc: 2, ard: 30 } as const;
const securityTypeNames = new Map<number, string>([
  [securityTypes.none, 'none'],
  [securityTypes.vnc, 'vnc'],
  [5, 'ra2'],
  [6, 'ra2ne'],
  [16, 'tight'],
  [18, 'tls'],
  [19, 'vencrypt'],
  [20, 'sasl'],
  [securityTypes.ard, 'ard'],
]);
const nameOf = (securityType: number) => securityTypeNames.get(securityType) ?? `security_type_${securityType}`;

const results = { ok: 0, failed: 1 } as const;
/** The results of a login. Others, such as 2 for too many attempts, do not mean a wrong password. */
const outcomes = new Map<number, 'success' | 'failure'>([
  [results.ok, 'success'],
  [results.failed, 'failure'],
]);

/** The supported minor version. A version in between counts as the lower one. */
const minorOf = (major: number, minor: number): 3 | 7 | 8 => {
  if (major > 3 || minor >= 8) return 8;
  return minor === 7 ? 7 : 3;
};

interface Step {
  readonly size: MessageHandler['size'];
  readonly read: (message: Buffer) => void;
}

const fixedSize = (bytes: number) => () => bytes;
const prefixedSize: MessageHandler['size'] = (bytes, at, end) => {
  if (end - at < 4) return 0;
  const length = bytes.readUInt32BE(at);
  return length <= daemonBounds.vncReasonBytes ? length + 4 : -1;
};
/** The size of the server's key message: a generator, the length of the key, a prime and the key. */
const ardKeySize: MessageHandler['size'] = (bytes, at, end) => (end - at < 4 ? 0 : 4 + 2 * bytes.readUInt16BE(at + 2));
const ardUserBytes = 128;

class Vnc extends Conversation<Channel> {
  private minor: 3 | 7 | 8 = 3;
  private offered: readonly number[] = [];
  private securityType = 0;
  private next: Record<Side, Step | undefined> = {
    server: { size: fixedSize(versionBytes), read: (text) => this.readServerVersion(text) },
    client: undefined,
  };

  private handler(side: Side): MessageHandler {
    return {
      size: (bytes, at, end) => {
        const step = this.next[side];
        if (!step) this.channel.emit(violation(`${side}_did_not_wait`));
        return step ? step.size(bytes, at, end) : -1;
      },
      bytesToRead: (_bytes, _at, size) => size,
      read: (message) => this.next[side]?.read(message),
    };
  }

  constructor(channel: Channel, context: InspectorContext) {
    super(channel, context);
    channel.login.onAbandon = channel.finish; // a server accepts one login of a connection
  }

  readonly server = this.handler('server');
  readonly client = this.handler('client');

  /** Waits for a message of this side. The other side must not send meanwhile. */
  private awaitMessage(side: Side, size: MessageHandler['size'], read: Step['read']): void {
    this.next = { server: undefined, client: undefined, [side]: { size, read } };
  }

  private readServerVersion(text: Buffer): void {
    if (!versionForm.test(textOf(text, 0))) this.channel.emit(violation('not_the_protocol'));
    this.next = {
      client: { size: fixedSize(versionBytes), read: (answer) => this.readClientVersion(answer) },
      server: { size: fixedSize(4), read: (securityType) => this.readEarly(securityType.readUInt32BE()) },
    };
  }

  /**
   * Handles bytes of the server before the version of the client: a server that refuses an address does not wait for
   * the version.
   */
  private readEarly(securityType: number): void {
    if (securityType === 0) this.awaitReason();
    else this.channel.emit(violation('server_did_not_wait'));
  }

  private readClientVersion(text: Buffer): void {
    const [, major = '', minor = ''] = versionForm.exec(textOf(text, 0)) ?? [];
    if (major === '') {
      this.channel.emit(violation('not_the_protocol'));
      return;
    }
    this.channel.emit(fact('version', `${Number(major)}.${Number(minor)}`));
    this.minor = minorOf(Number(major), Number(minor));
    if (this.minor === 3)
      this.awaitMessage('server', fixedSize(4), (securityType) => this.readChoice(securityType.readUInt32BE(), []));
    else
      this.awaitMessage(
        'server',
        (bytes, at) => 1 + (bytes[at] ?? 0),
        (list) => this.readOffer(Array.from(list.subarray(1))),
      );
  }

  private readOffer(offered: readonly number[]): void {
    this.offered = offered;
    if (offered.length === 0) this.awaitReason();
    else this.awaitMessage('client', fixedSize(1), (choice) => this.readChoice(choice[0] ?? 0, this.offered));
  }

  /** Handles the chosen security type. The client chooses it. In version 3.3, the server does. */
  private readChoice(securityType: number, offered: readonly number[]): void {
    this.securityType = securityType;
    if (offered.length > 0 && !offered.includes(securityType)) {
      this.channel.emit(violation('security_type_not_offered')); // CVE-2006-2369
      return;
    }
    if (securityType === 0) this.awaitReason();
    else this.awaitLogin(securityType);
  }

  private awaitLogin(securityType: number): void {
    this.channel.emit(fact('security', nameOf(securityType)));
    if (securityType === securityTypes.none && this.minor < 8) this.channel.finish();
    else if (securityType === securityTypes.none) this.awaitResult();
    else if (securityType === securityTypes.vnc)
      this.awaitMessage('server', fixedSize(challengeBytes), () =>
        this.awaitMessage('client', fixedSize(challengeBytes), () => this.awaitResult()),
      );
    else if (securityType === securityTypes.ard)
      this.awaitMessage('server', ardKeySize, (key) =>
        this.awaitMessage('client', fixedSize(ardUserBytes + key.readUInt16BE(2)), () => this.awaitResult()),
      );
    else this.channel.emit(opaque(nameOf(securityType)));
  }

  private awaitResult(): void {
    if (this.securityType !== securityTypes.none) this.channel.login.begin(undefined);
    this.awaitMessage('server', fixedSize(4), (result) => {
      this.channel.login.end();
      const code = result.readUInt32BE();
      const outcome = outcomes.get(code);
      if (this.securityType !== securityTypes.none && outcome) this.channel.emit(login(outcome));
      if (code !== results.ok && this.minor === 8) this.awaitReason();
      else this.channel.finish();
    });
  }

  private awaitReason(): void {
    this.awaitMessage('server', prefixedSize, (text) => {
      this.channel.emit(fact('reason', textOf(text, 4)));
      this.channel.finish();
    });
  }
}

export const vnc: Inspector = { open: (context) => openMessages((channel) => new Vnc(channel, context)) };
