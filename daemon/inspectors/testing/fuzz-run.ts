/**
 * Runs inspectors on fuzz inputs. They must not throw. Their events must not depend on chunk boundaries, nor on whether
 * `unseen` bytes are passed.
 */
import { isDeepStrictEqual } from 'node:util';
import { type FuzzInput, type FuzzSource, fuzzInput } from './fuzz.ts';
import { randomNumbers } from './random.ts';
import { cutPieces, type Piece, replay } from './vectors.ts';

export interface FuzzFault {
  readonly protocol: string;
  readonly index: number;
  readonly what: string;
}

/** Joins adjacent chunks of one side, because one write of a client may arrive in any number of reads. */
function joinPieces(pieces: readonly Piece[]): Piece[] {
  const all: Piece[] = [];
  for (const { from, bytes } of pieces) {
    const last = all.at(-1);
    if (last?.from === from) all[all.length - 1] = { from, bytes: Buffer.concat([last.bytes, bytes]) };
    else all.push({ from, bytes });
  }
  return all;
}

function faultOf({ protocol }: FuzzSource, input: FuzzInput, next: () => number): string | undefined {
  const { options, policy } = input;
  const vector = { ...(options && { options }), ...(policy && { policy }) };
  const shape = { durationMs: 1000, bytesIn: 10_000, bytesOut: 10_000 };
  try {
    const whole = replay(protocol, { ...vector, shape }, joinPieces(input.pieces), false);
    const pieces = [...cutPieces(input.pieces, next)];
    const seen = replay(protocol, { ...vector, shape }, pieces, false);
    if (!isDeepStrictEqual(whole, seen)) return 'the events depend on chunk boundaries';
    const skipped = replay(protocol, { ...vector, shape }, pieces);
    return isDeepStrictEqual(whole, skipped) ? undefined : 'the events depend on bytes that need not be seen';
  } catch (error) {
    return String(error);
  }
}

/** Runs `count` inputs, which depend only on `seed`. Returns the first fault. */
export function fuzz(source: FuzzSource, count: number, seed: number): FuzzFault | undefined {
  const random = randomNumbers(seed);
  for (let index = 0; index < count; index += 1) {
    const input = fuzzInput(source, random);
    const what = faultOf(source, input, () => 1 + Math.floor(random() ** 2 * 40));
    if (what !== undefined) return { protocol: source.protocol, index, what };
  }
  return undefined;
}
