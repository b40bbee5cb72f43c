/**
 * The automaton of a pattern (Glushkov, 1961): positions with their character sets, and edges to the positions that can
 * follow.
 */
import { children } from './measure.ts';
import type { RegexNode, Repeat } from './syntax.ts';

/** Positions, each with the number of ways in which it can be reached. */
type Ways = readonly (readonly [position: number, count: number])[];

/** The number of ways to match the empty text, and the positions at which the texts of a node begin and end. */
interface Part {
  readonly empty: number;
  readonly first: Ways;
  readonly last: Ways;
}

interface Position {
  readonly members: string;
  readonly next: Set<number>;
}

/** What a search looks for: two runs over one text that differ, and end. Both functions are symmetric. */
interface Runs {
  readonly starts: readonly (readonly [number, number])[];
  readonly differ: (one: number, other: number) => boolean;
  readonly end: (one: number, other: number) => boolean;
}

const emptyPart: Part = { empty: 1, first: [], last: [] };

const multiplied = (ways: Ways, count: number): Ways =>
  count === 0 ? [] : ways.map(([position, own]) => [position, own * count]);

/** Returns the length of every text that a node matches, or undefined when the lengths differ. */
function lengthOf(node: RegexNode): number | undefined {
  if (node.kind === 'set') return 1;
  const lengths = children(node).map(lengthOf);
  if (lengths.some((length) => length === undefined)) return undefined;
  if (node.kind === 'alternation') return new Set(lengths).size === 1 ? lengths[0] : undefined;
  const sum = (lengths as number[]).reduce((total, length) => total + length, 0);
  if (node.kind === 'repeat') return node.min === node.max ? sum * node.min : undefined;
  return sum;
}

function haveCommonCharacter(one: string, other: string): boolean {
  if (one === other) return one !== '';
  for (const character of one) if (other.includes(character)) return true;
  return false;
}

export class Automaton {
  readonly #mostEdges: number;
  readonly #mostPairs: number;
  readonly #positions: Position[] = [];
  #edges = 0;
  #isFull = false;
  #hasTwoEdges = false;

  /**
   * `mostEdges` bounds the edges, `mostPairs` bounds the pairs of different positions that two runs reach. Beyond one of
   * them, every search finds two runs.
   */
  constructor(mostEdges: number, mostPairs: number) {
    this.#mostEdges = mostEdges;
    this.#mostPairs = mostPairs;
  }

  get size(): number {
    return this.#positions.length;
  }

  /** Whether one position can follow another in two ways. */
  get hasTwoEdges(): boolean {
    return this.#hasTwoEdges;
  }

  /** Adds the positions of a node, in the order of its text. */
  add(node: RegexNode): Part {
    switch (node.kind) {
      case 'set': {
        const ways: Ways = [[this.#positions.push({ members: node.members, next: new Set() }) - 1, 1]];
        return { empty: 0, first: ways, last: ways };
      }
      case 'assertion':
        return emptyPart;
      case 'group':
        return this.add(node.body);
      case 'sequence':
        return node.parts.reduce((left, part) => this.join(left, this.add(part)), emptyPart);
      case 'alternation': {
        const parts = node.branches.map((branch) => this.add(branch));
        const empty = parts.reduce((sum, part) => sum + part.empty, 0);
        return { empty, first: parts.flatMap(({ first }) => first), last: parts.flatMap(({ last }) => last) };
      }
      case 'repeat':
        return this.#addRepeat(node);
    }
  }

  /** Expands a single count such as `{3}` if all texts of the body have the same length. Ignores other counts. */
  #addRepeat(node: Repeat): Part {
    if (node.max === 0) return emptyPart;
    if (node.min === node.max && lengthOf(node.body) !== undefined) {
      const copies = Array.from({ length: node.min }, () => this.add(node.body));
      return copies.reduce((left, right) => this.join(left, right));
    }
    const body = this.add(node.body);
    if (node.max > 1) this.repeat(body);
    return { ...body, empty: body.empty + (node.min === 0 ? 1 : 0) };
  }

  join(left: Part, right: Part): Part {
    this.#connect(left.last, right.first);
    return {
      empty: left.empty * right.empty,
      first: [...left.first, ...multiplied(right.first, left.empty)],
      last: [...multiplied(left.last, right.empty), ...right.last],
    };
  }

  repeat({ first, last }: Part): void {
    this.#connect(last, first);
  }

  #connect(from: Ways, to: Ways): void {
    for (const [one, left] of from)
      for (const [other, right] of to) {
        this.#isFull ||= this.#edges === this.#mostEdges;
        if (this.#isFull) return;
        const { next } = this.#positions[one] as Position;
        this.#hasTwoEdges ||= left * right > 1 || next.has(other);
        this.#edges += 1;
        next.add(other);
      }
  }

  /** Whether two runs over the same text can start at a pair of `starts`, differ in a pair, and end there or later. */
  hasTwoRuns({ starts, differ, end }: Runs): boolean {
    const seen = new Set<number>();
    const states: [one: number, other: number, hasDiffered: boolean][] = [];
    let pairs = 0; // of different positions
    const reach = (one: number, other: number, hasDiffered: boolean): boolean => {
      const [left, right] = [this.#positions[one] as Position, this.#positions[other] as Position];
      if (one !== other && !haveCommonCharacter(left.members, right.members)) return false;
      const differs = hasDiffered || differ(one, other);
      if (differs && end(one, other)) return true;
      const key = (Math.min(one, other) * this.size + Math.max(one, other)) * 2 + Number(differs);
      if (seen.has(key)) return false;
      seen.add(key);
      states.push([one, other, differs]);
      if (one !== other) pairs += 1;
      return pairs > this.#mostPairs;
    };
    if (this.#isFull || starts.some(([one, other]) => reach(one, other, false))) return true;
    for (let state = states.pop(); state; state = states.pop()) {
      const [one, other, differs] = state;
      for (const left of (this.#positions[one] as Position).next)
        for (const right of (this.#positions[other] as Position).next) if (reach(left, right, differs)) return true;
    }
    return false;
  }
}
