/** Extracts the ClientHello from TLS records (RFC 8446 5.1). */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';

export const recordTypes = { changeCipherSpec: 20, alert: 21, handshake: 22, applicationData: 23 } as const;
export const recordHeaderBytes = 5;
const handshakeHeaderBytes = 4;
export const majorVersion = 3;
const longestRecord = 2 ** 14;
const firstBytes = 512; // initial buffer, which grows for a longer hello
const clientHelloType = 1;
const answerTypes: ReadonlySet<number | undefined> = new Set([recordTypes.alert, recordTypes.handshake]);

/** Whether a record of the server answers a ClientHello. Takes its first two bytes. */
export const isHelloAnswer = (type: number | undefined, version: number | undefined): boolean =>
  answerTypes.has(type) && version === majorVersion;

export type HelloOutcome =
  | { readonly kind: 'more' }
  /** `body`: the message without its header. `length`: the number of bytes of the chunk that belong to it. */
  | { readonly kind: 'hello'; readonly body: Buffer; readonly length: number }
  | { readonly kind: 'fault'; readonly reason: string };

const needsMore: HelloOutcome = { kind: 'more' };

/** Collects a ClientHello. Refuses one of more than `inspectorPendingBytes`, or in more than `helloRecords`. */
export class HelloRecords {
  private readonly header = Buffer.alloc(recordHeaderBytes);
  private headerLength = 0;
  private recordLeft = 0;
  private recordCount = 0;
  private helloBytes = Buffer.allocUnsafe(firstBytes);
  private length = 0;

  /** The size of the buffer with the beginning of the hello. */
  get heldBytes(): number {
    return this.length === 0 ? 0 : this.helloBytes.length;
  }

  feed(chunk: Buffer): HelloOutcome {
    let at = 0;
    while (at < chunk.length) {
      if (this.recordLeft > 0) at = this.readBody(chunk, at);
      else at = this.readHeader(chunk, at);
      const reason = this.recordLeft > 0 ? this.faultOfMessage() : this.faultOfHeader();
      if (reason !== undefined) return { kind: 'fault', reason };
      if (this.isComplete()) return this.complete(at);
    }
    return needsMore;
  }

  /** The outcome of a complete hello. More bytes in its record are a fault: some servers would read a second hello. */
  private complete(length: number): HelloOutcome {
    const isAlone = this.recordLeft === 0 && this.length === this.end();
    const body = this.helloBytes.subarray(handshakeHeaderBytes, this.end());
    return isAlone ? { kind: 'hello', body, length } : { kind: 'fault', reason: 'malformed_hello' };
  }

  private readHeader(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + recordHeaderBytes - this.headerLength);
    this.headerLength += chunk.copy(this.header, this.headerLength, at, end);
    return end;
  }

  private readBody(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.recordLeft);
    this.recordLeft -= end - at;
    this.keep(chunk, at, end);
    return end;
  }

  private keep(chunk: Buffer, from: number, to: number): void {
    const length = this.length + to - from;
    if (length > this.helloBytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.helloBytes.length));
      this.helloBytes.copy(larger, 0, 0, this.length);
      this.helloBytes = larger;
    }
    chunk.copy(this.helloBytes, this.length, from, to);
    this.length = length;
  }

  /** The fault of a record header: only handshake records start TLS. If the header is complete, starts its record. */
  private faultOfHeader(): string | undefined {
    if (this.headerLength > 0 && this.header[0] !== recordTypes.handshake) return 'not_tls';
    if (this.headerLength > 1 && this.header[1] !== majorVersion) return 'not_tls';
    if (this.headerLength < recordHeaderBytes) return this.faultOfMessage();
    this.headerLength = 0;
    this.recordCount += 1;
    if (this.recordCount > daemonBounds.helloRecords) return 'hello_too_split';
    this.recordLeft = this.header.readUInt16BE(recordHeaderBytes - 2);
    return this.recordLeft === 0 || this.recordLeft > longestRecord ? 'not_tls' : undefined;
  }

  private faultOfMessage(): string | undefined {
    if (this.length > 0 && this.helloBytes[0] !== clientHelloType) return 'not_tls';
    const isLong = this.length >= handshakeHeaderBytes && this.end() > daemonBounds.inspectorPendingBytes;
    return isLong ? 'hello_too_long' : undefined;
  }

  private end(): number {
    return handshakeHeaderBytes + this.helloBytes.readUIntBE(1, handshakeHeaderBytes - 1);
  }

  private isComplete(): boolean {
    return this.length >= handshakeHeaderBytes && this.length >= this.end();
  }
}

/** Whether the first bytes of a client are a whole ClientHello, or cannot become one. */
export const isHelloDecided = (first: Uint8Array): boolean =>
  new HelloRecords().feed(Buffer.from(first.buffer, first.byteOffset, first.byteLength)).kind !== 'more';
