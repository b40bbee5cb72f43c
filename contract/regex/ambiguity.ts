/**
 * Finds ambiguous repetitions: repeated groups on which a backtracking engine such as PCRE in nginx takes exponential
 * time, because one text can be divided into repetitions in several ways.
 * The automaton of the repeated group is ambiguous if one position can follow another in two ways, or if two runs over
 * one text separate and meet again (Weber and Seidl, 1991).
 */

import { Automaton } from './automaton.ts';
import { regexLimits } from './limits.ts';
import { children } from './measure.ts';
import type { RegexNode, Repeat } from './syntax.ts';

function isAmbiguous(node: Repeat): boolean {
  const automaton = new Automaton(regexLimits.regexLoopEdges, regexLimits.regexLoopPairs);
  automaton.repeat(automaton.add(node.body));
  if (automaton.hasTwoEdges) return true;
  const starts = Array.from({ length: automaton.size }, (_, position) => [position, position] as const);
  return automaton.hasTwoRuns({
    starts,
    differ: (one, other) => one !== other,
    end: (one, other) => one === other,
  });
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
