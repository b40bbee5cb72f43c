/**
 * An automaton for a repeated group: positions with their character sets, and edges to the positions that can follow.
 */

/** Positions, each with the number of ways in which it can be reached. */
export type Ways = readonly (readonly [position: number, count: number])[];

export function haveCommonCharacter(one: string, other: string): boolean {
  if (one === other) return one !== '';
  for (const character of one) if (other.includes(character)) return true;
  return false;
}

export class Automaton {
  readonly #mostEdges: number;
  readonly #mostPairs: number;
  readonly #sets: string[] = [];
  readonly #next: Set<number>[] = [];
  #edges = 0;
  #isAmbiguous = false;

  /**
   * `mostEdges` bounds the edges, `mostPairs` bounds the pairs of positions that two runs reach. An automaton that
   * exceeds one of them counts as ambiguous.
   */
  constructor(mostEdges: number, mostPairs: number) {
    this.#mostEdges = mostEdges;
    this.#mostPairs = mostPairs;
  }

  /** Adds a position whose character is one of `members`. */
  add(members: string): number {
    this.#next.push(new Set());
    return this.#sets.push(members) - 1;
  }

  /** Adds an edge from each position of `from` to each position of `to`. */
  connect(from: Ways, to: Ways): void {
    for (const [one, left] of from)
      for (const [other, right] of to) {
        if (this.#isAmbiguous) return;
        const next = this.#next[one] as Set<number>;
        this.#isAmbiguous = left * right > 1 || next.has(other) || this.#edges === this.#mostEdges;
        this.#edges += 1;
        next.add(other);
      }
  }

  /**
   * Whether two different runs over the same text can leave one position and meet again. Also true when an edge was
   * added twice or a bound is exceeded.
   */
  isAmbiguous(): boolean {
    const count = this.#sets.length;
    const pairs: number[] = []; // keys of `seen`
    const seen = new Set<number>();
    // Adds the next positions of two runs. Returns whether the runs can meet.
    const step = (one: number, other: number): boolean => {
      for (const left of this.#next[one] as Set<number>)
        for (const right of this.#next[other] as Set<number>) {
          if (left === right && one !== other) return true;
          const key = Math.min(left, right) * count + Math.max(left, right);
          if (left === right || seen.has(key)) continue;
          if (!haveCommonCharacter(this.#sets[left] as string, this.#sets[right] as string)) continue;
          if (seen.size === this.#mostPairs) return true;
          seen.add(key);
          pairs.push(key);
        }
      return false;
    };
    for (let position = 0; position < this.#sets.length && !this.#isAmbiguous; position += 1)
      this.#isAmbiguous = step(position, position);
    for (let pair = pairs.pop(); pair !== undefined && !this.#isAmbiguous; pair = pairs.pop())
      this.#isAmbiguous = step(Math.floor(pair / count), pair % count);
    return this.#isAmbiguous;
  }
}
