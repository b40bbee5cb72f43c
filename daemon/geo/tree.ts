/** The search tree of a MaxMind DB: which entry an address has. */
import { readAddress } from '../bans/words.ts';
import { Values } from './values.ts';

const metadataMark = Buffer.from('abcdef4d61784d696e642e636f6d', 'hex');
const separatorBytes = 16;
const mappedBits = 96; // before an IPv4 address in a tree of IPv6

/** Reads a record of a node, left (0) or right (1), by the bits that one has. */
const records: Readonly<Record<number, (bytes: Buffer, node: number, side: number) => number>> = {
  24: (bytes, node, side) => bytes.readUIntBE(node * 6 + side * 3, 3),
  28: (bytes, node, side) => {
    const both = bytes.readUInt8(node * 7 + 3);
    return (side === 0 ? both >> 4 : both & 15) * 2 ** 24 + bytes.readUIntBE(node * 7 + side * 4, 3);
  },
  32: (bytes, node, side) => bytes.readUInt32BE(node * 8 + side * 4),
};

export interface Tree {
  /** Where the entry of an address begins; undefined: it has none, or is no address. */
  readonly entryOf: (ip: string) => number | undefined;
  readonly values: Values;
}

/** Throws when `bytes` are no such file. */
export function readTree(bytes: Buffer): Tree {
  const mark = bytes.lastIndexOf(metadataMark);
  if (mark < 0) throw new Error('it is no MaxMind database');
  const start = mark + metadataMark.length;
  const metadata = new Values(bytes, start);
  const [count = 0, bits = 0, version] = ['node_count', 'record_size', 'ip_version'].map((key) =>
    metadata.number(metadata.member(start, key)),
  );
  const record = records[bits];
  const treeBytes = (count * bits) / 4;
  if (!record || count === 0 || (version !== 4 && version !== 6) || treeBytes + separatorBytes > mark)
    throw new Error('it is a damaged MaxMind database');

  const walk = (from: number, words: Uint32Array, length: number): number => {
    let node = from;
    for (let bit = 0; bit < length && node < count; bit += 1)
      node = record(bytes, node, ((words[bit >> 5] as number) >>> (31 - (bit & 31))) & 1);
    return node;
  };
  const words = new Uint32Array(4);
  const startOf4 = version === 4 ? 0 : walk(0, words, mappedBits);
  const entryOf = (ip: string) => {
    const family = readAddress(ip, words);
    if (family === 0 || family > version) return undefined;
    const found = family === 4 ? walk(startOf4, words, 32) : walk(0, words, 128);
    return found > count ? treeBytes + found - count : undefined;
  };
  return { entryOf, values: new Values(bytes, treeBytes + separatorBytes) };
}
