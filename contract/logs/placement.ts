/**
 * Decides whether a line has one place only where a pattern can read the address. A client writes parts of the lines of
 * a log, such as the name of a user: if such a part could take over the place of the address, a client could ban others.
 * The pattern becomes an automaton (Glushkov, 1961). Two runs over the same line must read the same characters as the
 * address.
 */
import { haveCommonCharacter } from '../regex/automaton.ts';
import type { RegexNode } from '../regex/syntax.ts';

/** A pattern in the three parts around the address. */
export interface Placed {
  readonly before: RegexNode;
  readonly address: RegexNode;
  readonly after: RegexNode;
}

interface Part {
  readonly isEmpty: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
}

interface Position {
  readonly members: string;
  readonly isAddress: boolean;
  readonly next: Set<number>;
}

const nothing: Part = { isEmpty: true, first: [], last: [] };

class Positions {
  readonly all: Position[] = [];
  #isAddress = false;

  #joined(left: Part, right: Part): Part {
    for (const from of left.last) for (const to of right.first) this.all[from]?.next.add(to);
    return {
      isEmpty: left.isEmpty && right.isEmpty,
      first: left.isEmpty ? [...left.first, ...right.first] : left.first,
      last: right.isEmpty ? [...left.last, ...right.last] : right.last,
    };
  }

  #set(members: string): Part {
    const at = this.all.push({ members, isAddress: this.#isAddress, next: new Set() }) - 1;
    return { isEmpty: false, first: [at], last: [at] };
  }

  /** Counts make no difference: a repeat may happen any number of times, so that more lines have two readings. */
  #of(node: RegexNode): Part {
    switch (node.kind) {
      case 'set':
        return this.#set(node.members);
      case 'assertion':
        return nothing;
      case 'group':
        return this.#of(node.body);
      case 'sequence':
        return node.parts.reduce((left, part) => this.#joined(left, this.#of(part)), nothing);
      case 'alternation': {
        const parts = node.branches.map((branch) => this.#of(branch));
        const isEmpty = parts.some((part) => part.isEmpty);
        return { isEmpty, first: parts.flatMap(({ first }) => first), last: parts.flatMap(({ last }) => last) };
      }
      case 'repeat': {
        const body = this.#of(node.body);
        if (node.max > 1) this.#joined(body, body);
        return { ...body, isEmpty: body.isEmpty || node.min === 0 };
      }
    }
  }

  /** Adds a pattern. Returns the positions where its lines begin and end. */
  add({ before, address, after }: Placed): Part {
    const left = this.#of(before);
    this.#isAddress = true;
    const middle = this.#of(address);
    this.#isAddress = false;
    return this.#joined(this.#joined(left, middle), this.#of(after));
  }
}

/** A pattern that has more pairs counts as ambiguous. Patterns of 300 characters have about 20,000. */
const mostPairs = 200_000;

export function hasOnePlace(placed: Placed): boolean {
  const positions = new Positions();
  const { first, last } = positions.add(placed);
  const { all } = positions;
  const ends = new Set(last);
  const seen = new Set<number>();
  const pairs: [number, number, boolean][] = [];
  const reach = (one: number, other: number, hasDiffered: boolean): void => {
    const [left, right] = [all[one] as Position, all[other] as Position];
    if (!haveCommonCharacter(left.members, right.members)) return;
    const differs = hasDiffered || left.isAddress !== right.isAddress;
    const key = (one * all.length + other) * 2 + Number(differs);
    if (seen.has(key)) return;
    seen.add(key);
    pairs.push([one, other, differs]);
  };
  for (const one of first) for (const other of first) reach(one, other, false);
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const [one, other, differs] = pair;
    if (seen.size > mostPairs || (differs && ends.has(one) && ends.has(other))) return false;
    for (const left of all[one]?.next ?? []) for (const right of all[other]?.next ?? []) reach(left, right, differs);
  }
  return true;
}
