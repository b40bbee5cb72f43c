/** One side of SSH in clear text (RFC 4253 4.2 and 6): its version, then packets up to NEWKEYS. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';

const lf = 0x0a;
const prefix = 'SSH-';
const headerBytes = 6; // a length of 4 bytes, the padding length, and the message number
const lengthBytes = 4;
const newKeysType = 21;

/** Whether a message may come before encryption: transport, negotiation, exchange. Any other one is a violation. */
const isClearMessage = (type: number) => (type >= 1 && type <= 4) || (type >= 20 && type <= 49);

export interface SshPorts {
  readonly version: (text: string) => void;
  readonly fault: (reason: string) => void;
}

export class SshSide {
  /** The number of bytes in clear text. */
  clearBytes = 0;
  isEncrypted = false;
  private hasVersion = false;
  private text = '';
  private greetingBytes = 0;
  private readonly header = Buffer.alloc(headerBytes);
  private headerLength = 0;
  private left = 0;
  private isLast = false;
  private isFaulty = false;
  private readonly mayGreet: boolean;
  private readonly ports: SshPorts;

  /** `mayGreet`: whether this side may send lines before its version, as servers do. */
  constructor(mayGreet: boolean, ports: SshPorts) {
    this.mayGreet = mayGreet;
    this.ports = ports;
  }

  feed(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && !this.isEncrypted && !this.isFaulty) {
      const end = this.hasVersion ? this.readPacket(chunk, at) : this.readLine(chunk, at);
      this.clearBytes += end - at;
      at = end;
      if (this.isLast && this.left === 0) this.isEncrypted = true;
    }
  }

  private fail(reason: string): void {
    this.isFaulty = true;
    this.ports.fault(reason);
  }

  private readLine(chunk: Buffer, at: number): number {
    const found = chunk.indexOf(lf, at);
    const end = found < 0 ? chunk.length : found + 1;
    const room = daemonBounds.sshVersionBytes + 1 - this.text.length;
    this.text += chunk.toString('latin1', at, Math.min(end, at + room));
    const isVersion = this.text.startsWith(prefix.slice(0, this.text.length));
    if (!isVersion) this.greetingBytes += end - at;
    const isRefused = isVersion ? this.text.length > daemonBounds.sshVersionBytes : this.isGreetingRefused();
    if (isRefused) this.fail('not_ssh');
    else if (found >= 0) this.finishLine(isVersion);
    return end;
  }

  private isGreetingRefused(): boolean {
    return !this.mayGreet || this.greetingBytes > daemonBounds.inspectorPendingBytes;
  }

  private finishLine(isVersion: boolean): void {
    const line = this.text.replace(/\r?\n$/, '');
    this.text = '';
    this.hasVersion = isVersion && line.length >= prefix.length;
    if (this.hasVersion) this.ports.version(line);
    else if (!this.mayGreet) this.fail('not_ssh');
  }

  private readPacket(chunk: Buffer, at: number): number {
    if (this.left > 0) {
      const end = Math.min(chunk.length, at + this.left);
      this.left -= end - at;
      return end;
    }
    const end = Math.min(chunk.length, at + headerBytes - this.headerLength);
    this.headerLength += chunk.copy(this.header, this.headerLength, at, end);
    if (this.headerLength === headerBytes) this.beginPacket();
    return end;
  }

  private beginPacket(): void {
    const length = this.header.readUInt32BE(0);
    const type = this.header.readUInt8(headerBytes - 1);
    this.headerLength = 0;
    this.left = length - (headerBytes - lengthBytes);
    this.isLast = type === newKeysType;
    if (this.left < 0 || length > daemonBounds.sshPacketBytes || !isClearMessage(type)) this.fail('packet_in_clear');
  }
}
