/**
 * Finds ambiguous repetitions: repeated groups on which a backtracking engine such as PCRE in nginx takes exponential
 * time, because one text can be divided into repetitions in several ways.
 * The repeated group becomes an automaton (Glushkov, 1961). It is ambiguous if one position can follow another in two
 * ways, or if two runs over one text separate and meet again (Weber and Seidl, 1991).
 */

import { Automaton, type Ways } from './automaton.ts';
import { regexLimits } from './limits.ts';
import { children } from './measure.ts';
import type { RegexNode, Repeat } from './syntax.ts';

/** The number of ways to match the empty text, and the positions at which the texts of a node begin and end. */
interface Part {
  readonly empty: number;
  readonly first: Ways;
  readonly last: Ways;
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

function ofPair(automaton: Automaton, left: Part, right: Part): Part {
  automaton.connect(left.last, right.first);
  return {
    empty: left.empty * right.empty,
    first: [...left.first, ...multiplied(right.first, left.empty)],
    last: [...multiplied(left.last, right.empty), ...right.last],
  };
}

/**
 * Adds a repeat inside the repeated group. Expands a single count such as `{3}` if all texts of the body have the same
 * length. Ignores other counts.
 */
function ofRepeat(automaton: Automaton, node: Repeat): Part {
  if (node.max === 0) return emptyPart;
  if (node.min === node.max && lengthOf(node.body) !== undefined) {
    const copies = Array.from({ length: node.min }, () => partOf(automaton, node.body));
    return copies.reduce((left, right) => ofPair(automaton, left, right));
  }
  const body = partOf(automaton, node.body);
  if (node.max > 1) automaton.connect(body.last, body.first);
  return { ...body, empty: body.empty + (node.min === 0 ? 1 : 0) };
}

function partOf(automaton: Automaton, node: RegexNode): Part {
  switch (node.kind) {
    case 'set': {
      const ways: Ways = [[automaton.add(node.members), 1]];
      return { empty: 0, first: ways, last: ways };
    }
    case 'assertion':
      return emptyPart;
    case 'group':
      return partOf(automaton, node.body);
    case 'sequence':
      return node.parts.reduce((left, part) => ofPair(automaton, left, partOf(automaton, part)), emptyPart);
    case 'alternation': {
      const parts = node.branches.map((branch) => partOf(automaton, branch));
      const empty = parts.reduce((sum, part) => sum + part.empty, 0);
      return { empty, first: parts.flatMap(({ first }) => first), last: parts.flatMap(({ last }) => last) };
    }
    case 'repeat':
      return ofRepeat(automaton, node);
  }
}

function isAmbiguous(node: Repeat): boolean {
  const automaton = new Automaton(regexLimits.regexLoopEdges, regexLimits.regexLoopPairs);
  const body = partOf(automaton, node.body);
  automaton.connect(body.last, body.first);
  return automaton.isAmbiguous();
}

/** Returns the ambiguous repetition whose group opens first. Its check covers the repetitions inside it too. */
export function ambiguousRepetition(node: RegexNode): Repeat | undefined {
  if (node.kind === 'repeat' && node.max !== 1) return node.max > 1 && isAmbiguous(node) ? node : undefined;
  for (const child of children(node)) {
    const found = ambiguousRepetition(child);
    if (found) return found;
  }
  return undefined;
}
