/** Decodes the header blocks of HTTP/2 (HPACK, RFC 7541). Each side of a connection has a decoder. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Headers } from '../../../engine/index.ts';
import { Cursor } from '../framing/cursor.ts';
import { decodeHuffman } from './huffman.ts';

type Header = Headers[number];

/** The static table (RFC 7541 appendix A). Of its values, only those of `:status` are read. */
const names =
  ':authority :method :method :path :path :scheme :scheme :status :status :status :status :status :status :status accept-charset ' +
  'accept-encoding accept-language accept-ranges accept access-control-allow-origin age allow authorization cache-control ' +
  'content-disposition content-encoding content-language content-length content-location content-range content-type cookie date etag ' +
  'expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified link location ' +
  'max-forwards proxy-authenticate proxy-authorization range referer refresh retry-after server set-cookie ' +
  'strict-transport-security transfer-encoding user-agent vary via www-authenticate';
const statuses = ['200', '204', '206', '304', '400', '404', '500'];
const firstStatus = 7;
const staticTable: readonly Header[] = names
  .split(' ')
  .map((name, index) => [name, statuses[index - firstStatus] ?? ''] as const);

const entryOverhead = 32; // RFC 7541 4.1
const defaultTableBytes = 4096;
const mostIntegerBytes = 5; // behind the first one; longer ones exceed each bound, or are padded
const { http2TableBytes } = daemonBounds;

const sizeOf = ([name, value]: Header): number => name.length + value.length + entryOverhead;

const firstByteOf = ({ bytes, at }: Cursor): number => bytes[at] ?? 0;

class BadBlock extends Error {}

/** An integer whose first byte has `bits` bits of it (RFC 7541 5.1). */
function integerIn(block: Cursor, bits: number): number {
  const most = 2 ** bits - 1;
  const value = block.number(1) & most;
  return value < most ? value : most + block.varint(mostIntegerBytes);
}

function textIn(block: Cursor): string {
  const isHuffman = firstByteOf(block) >= 0x80;
  const bytes = block.read(integerIn(block, 7));
  const text = isHuffman ? decodeHuffman(bytes) : bytes.toString('latin1');
  if (text === undefined || block.isOver) throw new BadBlock();
  return text;
}

export class HeaderDecoder {
  /** The dynamic table, the newest entry last. Evicted entries are undefined until there are more of them than others. */
  private readonly entries: (Header | undefined)[] = [];
  private evictedCount = 0;
  private tableBytes = 0;
  private mostTableBytes = defaultTableBytes;
  private readonly hold: (bytes: number) => void;
  private readonly mostBytes: number;

  /** `hold`: called with the growth of the table in bytes. `mostBytes`: of the texts of a block. */
  constructor(hold: (bytes: number) => void, mostBytes: number) {
    this.hold = hold;
    this.mostBytes = mostBytes;
  }

  /** Decodes a whole block. Undefined when it is broken or too large: later blocks cannot be decoded either. */
  decode(bytes: Buffer): Headers | undefined {
    const before = this.tableBytes;
    try {
      return this.read(new Cursor(bytes));
    } catch (error) {
      if (error instanceof BadBlock) return undefined;
      throw error;
    } finally {
      this.hold(this.tableBytes - before);
    }
  }

  private read(block: Cursor): Headers {
    const headers: Header[] = [];
    const mostFields = this.mostBytes / entryOverhead; // clients send each cookie in a field (RFC 9113 8.2.3)
    let size = 0;
    while (block.left > 0) {
      const header = this.field(block);
      if (block.isOver) throw new BadBlock();
      if (!header) continue;
      headers.push(header);
      size += header[0].length + header[1].length;
      if (size > this.mostBytes || headers.length > mostFields) throw new BadBlock();
    }
    return headers;
  }

  /** Reads a field, or a change of the size of the table (RFC 7541 6). */
  private field(block: Cursor): Header | undefined {
    const first = firstByteOf(block);
    if (first >= 0x80) return this.entry(integerIn(block, 7));
    if (first >= 0x40) {
      const header = this.literal(block, 6);
      this.add(header);
      return header;
    }
    if (first < 0x20) return this.literal(block, 4);
    this.mostTableBytes = integerIn(block, 5);
    if (this.mostTableBytes > http2TableBytes) throw new BadBlock();
    this.evict();
    return undefined;
  }

  private literal(block: Cursor, bits: number): Header {
    const index = integerIn(block, bits);
    const name = index === 0 ? textIn(block) : this.entry(index)[0];
    return [name, textIn(block)];
  }

  private entry(index: number): Header {
    const entry = staticTable[index - 1] ?? this.entries[this.entries.length + staticTable.length - index];
    if (!entry) throw new BadBlock();
    return entry;
  }

  private add(header: Header): void {
    this.entries.push(header);
    this.tableBytes += sizeOf(header);
    this.evict();
  }

  private evict(): void {
    const { entries } = this;
    for (; this.tableBytes > this.mostTableBytes; this.evictedCount += 1) {
      this.tableBytes -= sizeOf(entries[this.evictedCount] as Header);
      entries[this.evictedCount] = undefined;
    }
    if (2 * this.evictedCount <= entries.length) return; // moving all entries for each eviction would take 1 s for 64 KiB
    entries.splice(0, this.evictedCount);
    this.evictedCount = 0;
  }
}
