/** The search tree of a GeoIP database: https://maxmind.github.io/MaxMind-DB/ */
import { setImmediate as turn } from 'node:timers/promises';
import type { Reader } from 'maxmind';

type Metadata = Reader<never>['metadata'];

/** The number of nodes that are read in one turn of the event loop. Connections are served between turns. */
const nodesAtOnce = 20_000;

/** The number of bytes between the tree and the entries. */
const separator = 16;

/** Reads the left or the right record of a node. The key is the size of a record in bits. */
const recordReaders: Readonly<Record<number, (bytes: Buffer, at: number, isRight: boolean) => number>> = {
  24: (bytes, at, isRight) => bytes.readUIntBE(isRight ? at + 3 : at, 3),
  28: (bytes, at, isRight) => {
    const shared = bytes.readUInt8(at + 3);
    const high = isRight ? shared & 0x0f : shared >> 4;
    return high * 2 ** 24 + bytes.readUIntBE(isRight ? at + 4 : at, 3);
  },
  32: (bytes, at, isRight) => bytes.readUInt32BE(isRight ? at + 4 : at),
};

/** The first address below a record. `path` has one bit for each level. */
function addressOf(path: readonly boolean[], depth: number): string {
  const size = depth === 32 ? 8 : 16;
  const groups = Array.from({ length: depth / size }, (_, group) =>
    Array.from({ length: size }, (_, bit) => (path[group * size + bit] ? '1' : '0')).join(''),
  ).map((bits) => Number.parseInt(bits, 2));
  return depth === 32 ? groups.join('.') : groups.map((group) => group.toString(16)).join(':');
}

/** Remembers the path from the root to each node. The bits of a path are the bits of an address. */
class Paths {
  readonly #parents: Uint32Array;
  readonly #sides: Uint8Array;
  readonly depths: Uint8Array;

  constructor(nodes: number) {
    this.#parents = new Uint32Array(nodes);
    this.#sides = new Uint8Array(nodes);
    this.depths = new Uint8Array(nodes);
  }

  add(node: number, parent: number, isRight: boolean): void {
    this.#parents[node] = parent;
    this.#sides[node] = isRight ? 1 : 0;
    this.depths[node] = (this.depths[parent] as number) + 1;
  }

  pathTo(node: number, isRight: boolean): boolean[] {
    const path = [isRight];
    for (let at = node; at !== 0; at = this.#parents[at] as number) path.push(this.#sides[at] === 1);
    return path.reverse();
  }
}

const damagedError = (what: string) => new Error(`damaged: ${what}; install the file again`);

/**
 * Reads every node below the root, and calls `look` with one address of each entry.
 * @throws Error when the tree is incomplete, a record points outside the database, or `look` throws
 */
export async function checkTree(bytes: Buffer, metadata: Metadata, look: (ip: string) => void): Promise<void> {
  const { nodeCount, nodeByteSize, recordSize, treeDepth, searchTreeSize } = metadata;
  if (bytes.length < searchTreeSize) throw damagedError('the search tree is incomplete');
  const paths = new Paths(nodeCount);
  const entries = new Set<number>();
  const read = (entry: number, node: number, isRight: boolean): undefined => {
    if (entries.has(entry)) return;
    entries.add(entry);
    const ip = addressOf(paths.pathTo(node, isRight), treeDepth);
    try {
      look(ip);
    } catch {
      throw damagedError(`the entry of ${ip} cannot be read`);
    }
  };
  const follow = (node: number, isRight: boolean): number | undefined => {
    const value = recordReaders[recordSize]?.(bytes, node * nodeByteSize, isRight) ?? Number.NaN;
    if (value === nodeCount) return undefined; // the record has no entry
    const isNode = value < nodeCount;
    const entry = value - nodeCount - separator;
    const isInside = isNode
      ? (paths.depths[node] as number) < treeDepth - 1
      : entry >= 0 && entry < bytes.length - searchTreeSize;
    if (!isInside) throw damagedError(`node ${node} leads out of it`);
    if (!isNode) return read(entry, node, isRight);
    // A part of the tree may be reachable by several paths.
    if (value === 0 || paths.depths[value] !== 0) return undefined;
    paths.add(value, node, isRight);
    return value;
  };
  const open = [0];
  for (let visited = 1; open.length > 0; visited += 1) {
    const node = open.pop() as number;
    open.push(...[true, false].map((isRight) => follow(node, isRight)).filter((next) => next !== undefined));
    if (visited % nodesAtOnce === 0) await turn();
  }
}
