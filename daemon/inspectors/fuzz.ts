/** Inputs that try to break inspectors: words of the protocol, vectors that were changed, and noise, cut anywhere. */
import type { Protocol } from '../../contract/daemon/protocols.ts';
import { words } from './fuzz-words.ts';
import type { Side } from './inspector.ts';
import { type Piece, type Vector, wholePieces } from './vectors.ts';

const ends = ['\r\n', '\n', '\r', '\0', ''];
const longest = 40; // pieces of one input

const shared = [
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
];

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
  return Buffer.from(Array.from({ length: 1 + below(random, 64) }, () => below(random, 256)));
}

function spoken(random: Random, protocol: Protocol): Buffer {
  const said = words[protocol] ?? shared;
  const parts = Array.from({ length: 1 + below(random, 4) }, () => oneOf(random, random() < 0.7 ? said : shared));
  return Buffer.from(parts.join(random() < 0.5 ? ' ' : '') + oneOf(random, ends), 'latin1');
}

/** A vector with bytes changed, cut out or said by the other side. */
function changed(random: Random, vector: Vector): Piece[] {
  const pieces = wholePieces(vector).map(({ from, bytes }) => ({ from, bytes: Buffer.from(bytes.subarray(0, 4096)) }));
  for (let change = below(random, 6); change > 0; change -= 1) {
    const index = below(random, pieces.length);
    const { from, bytes } = oneOf(random, pieces);
    if (random() < 0.6 && bytes.length > 0) bytes[below(random, bytes.length)] = below(random, 256);
    else if (random() < 0.5) pieces.splice(index, 1, { from: sideOf(random), bytes });
    else pieces.splice(index, 0, { from, bytes: bytes.subarray(below(random, bytes.length + 1)) });
  }
  return pieces;
}

function made(random: Random, protocol: Protocol): Piece[] {
  const make = () => (random() < 0.15 ? noise(random) : spoken(random, protocol));
  return Array.from({ length: 1 + below(random, longest) }, () => ({ from: sideOf(random), bytes: make() }));
}

/** The next input for an inspector; the same in every run with the same random numbers. */
export function fuzzInput({ protocol, vectors }: FuzzSource, random: Random): FuzzInput {
  const vector = vectors.length > 0 && random() < 0.5 ? oneOf(random, vectors) : undefined;
  const pieces = vector ? changed(random, vector) : made(random, protocol);
  return { options: vector?.options, policy: vector?.policy, pieces };
}
