/** Reproducible random choices. */
export interface Random {
  /** Returns an integer from 0 to `below` - 1. */
  readonly integer: (below: number) => number;
  readonly pick: <T>(items: readonly T[]) => T;
  /** Returns true in one of `count` calls on average. */
  readonly oneIn: (count: number) => boolean;
  /** Calls `make` between `least` and `most` times and returns the results. */
  readonly several: <T>(least: number, most: number, make: () => T) => T[];
}

/** The generator mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const integer = (below: number) => next() % below;
  return {
    integer,
    pick: (items) => items[integer(items.length)] as (typeof items)[number],
    oneIn: (count) => integer(count) === 0,
    several: (least, most, make) => Array.from({ length: least + integer(most - least + 1) }, make),
  };
}
