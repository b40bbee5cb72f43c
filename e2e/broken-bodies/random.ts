/** Pseudo-random choices that repeat with the seed (mulberry32). */
export interface Random {
  /** 0 or more, less than `end`. */
  readonly below: (end: number) => number;
  readonly one: <T>(list: readonly T[]) => T;
  /** Printable text. */
  readonly text: (length: number) => string;
}

export function createRandom(seed: number): Random {
  let state = seed;
  const below = (end: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  };
  return {
    below,
    one: (list) => list[below(list.length)] as (typeof list)[number],
    text: (length) => Array.from({ length }, () => String.fromCharCode(0x21 + below(94))).join(''),
  };
}
