/** Fuzz inputs for inspectors: protocol tokens, mutated vectors and noise. */
import type { Protocol } from '../../../contract/daemon/protocols.ts';
import type { Side } from '../inspector.ts';
import words from './fuzz-dictionary.json' with { type: 'json' };
import { type Piece, unsplitPieces, type Vector } from './vectors.ts';

const bytesOf = (texts: readonly string[]): readonly Buffer[] => texts.map((text) => Buffer.from(text, 'latin1'));

const lineEnds = bytesOf(['\r\n', '\n', '\r', '\0', '']);
const space = Buffer.from(' ');
const mostPieces = 40; // the largest number of pieces in a generated input

const shared = bytesOf([
  'A'.repeat(300),
  '{5}',
  '{5+}',
  '{999999999999999}',
  '{',
  '"',
  '\\',
  '<a@b.example>',
  '+',
  '.',
  ' ',
  ':',
  '*',
]);
/** Tokens by protocol. Other protocols get only the shared tokens. */
const tokens = new Map(Object.entries(words).map(([protocol, texts]) => [protocol, bytesOf(texts)]));

export interface FuzzInput {
  readonly options: Record<string, unknown> | undefined;
  readonly policy: Record<string, unknown> | undefined;
  readonly pieces: Piece[];
}

export interface FuzzSource {
  readonly protocol: Protocol;
  readonly vectors: readonly Vector[];
}

type Random = () => number;
const below = (random: Random, limit: number) => Math.floor(random() * limit);
const oneOf = <Item>(random: Random, items: readonly Item[]): Item => items[below(random, items.length)] as Item;
const sideOf = (random: Random): Side => (random() < 0.5 ? 'client' : 'server');

function noise(random: Random): Buffer {
  const bytes = Buffer.allocUnsafe(1 + below(random, 64));
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = below(random, 256);
  return bytes;
}

function tokensOf(random: Random, protocol: Protocol): Buffer {
  const own = tokens.get(protocol) ?? shared;
  const isSpaced = random() < 0.5;
  const parts: Buffer[] = [];
  for (let left = 1 + below(random, 4); left > 0; left -= 1) {
    if (isSpaced && parts.length > 0) parts.push(space);
    parts.push(oneOf(random, random() < 0.7 ? own : shared));
  }
  return Buffer.concat([...parts, oneOf(random, lineEnds)]);
}

const cachedPieces = new WeakMap<Vector, Piece[]>();

function piecesOf(vector: Vector): readonly Piece[] {
  const pieces =
    cachedPieces.get(vector) ??
    unsplitPieces(vector).map(({ from, bytes }) => ({ from, bytes: bytes.subarray(0, 4096) }));
  cachedPieces.set(vector, pieces);
  return pieces;
}

function withByte(bytes: Buffer, at: number, byte: number): Buffer {
  const other = Buffer.from(bytes);
  other[at] = byte;
  return other;
}

function mutate(random: Random, vector: Vector): Piece[] {
  const pieces = [...piecesOf(vector)];
  for (let change = below(random, 6); change > 0; change -= 1) {
    const index = below(random, pieces.length);
    const { from, bytes } = pieces[index] as Piece;
    if (random() < 0.6 && bytes.length > 0)
      pieces[index] = { from, bytes: withByte(bytes, below(random, bytes.length), below(random, 256)) };
    else if (random() < 0.5) pieces.splice(index, 1, { from: sideOf(random), bytes });
    else pieces.splice(index, 0, { from, bytes: bytes.subarray(below(random, bytes.length + 1)) });
  }
  return pieces;
}

function generate(random: Random, protocol: Protocol): Piece[] {
  const pieces: Piece[] = [];
  for (let left = 1 + below(random, 1 + below(random, mostPieces)); left > 0; left -= 1)
    pieces.push({ from: sideOf(random), bytes: random() < 0.15 ? noise(random) : tokensOf(random, protocol) });
  return pieces;
}

/** Equal random numbers give equal inputs. */
export function fuzzInput({ protocol, vectors }: FuzzSource, random: Random): FuzzInput {
  const vector = vectors.length > 0 && random() < 0.5 ? oneOf(random, vectors) : undefined;
  const pieces = vector ? mutate(random, vector) : generate(random, protocol);
  return { options: vector?.options, policy: vector?.policy, pieces };
}
