/**
 * Decides whether a line has one place only where a pattern can read the address. A client writes parts of the lines of
 * a log, such as the name of a user: if such a part could take over the place of the address, a client could ban others.
 * Two runs of the pattern over the same line must read the same characters as the address.
 */
import { Automaton } from '../regex/automaton.ts';
import type { RegexNode } from '../regex/syntax.ts';

/** A pattern in the three parts around the address. */
export interface Placed {
  readonly before: RegexNode;
  readonly address: RegexNode;
  readonly after: RegexNode;
}

/** Edges and pairs of positions. A pattern that has more counts as ambiguous. Patterns of 300 characters have about 20,000 pairs. */
const most = 200_000;

export function hasOnePlace({ before, address, after }: Placed): boolean {
  const automaton = new Automaton(most, most);
  const left = automaton.add(before);
  const start = automaton.size;
  const middle = automaton.add(address);
  const end = automaton.size;
  const { first, last } = automaton.join(automaton.join(left, middle), automaton.add(after));
  const isAddress = (position: number): boolean => position >= start && position < end;
  const lasts = new Set(last.map(([position]) => position));
  return !automaton.hasTwoRuns({
    starts: first.flatMap(([one]) => first.map(([other]) => [one, other] as const)),
    differ: (one, other) => isAddress(one) !== isAddress(other),
    end: (one, other) => lasts.has(one) && lasts.has(other),
  });
}
