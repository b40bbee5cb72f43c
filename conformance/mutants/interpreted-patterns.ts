/** Mutants of the pattern search of the interpreted engine. */
import { type Mutant, mutantsOf } from './mutant.ts';

const interpreted = mutantsOf('module/engine/match/interpreted_prefilter.go', [
  [
    'patterns without literals are never tried by the interpreter',
    'literals = []string{LineEnd}',
    'literals = []string{"\\x03"}',
  ],
  ['upper case hides a literal from the interpreter', 'lowerCase(lines)', 'lines'],
  [
    'a group with a pattern without literals is skipped',
    'g.isBlind = g.isBlind || required == nil',
    'g.isBlind = false',
  ],
  ['patterns behind the first group are skipped', 'g < len(s.groups); g++', 'g < min(1, len(s.groups)); g++'],
  ['the ends of a literal are not those of a line', 'lineEnds.Replace(literal)', 'literal'],
]);

const program = mutantsOf('module/engine/match/program.go', [
  ['an optional part is required', 'op: toCopy, to: some, from: from', 'op: toClear, to: some'],
  [
    'an optional part may not be absent where it matches',
    'op: toJoin, to: some, from: from',
    'op: toSkip, next: len(p.code) + 1',
  ],
  [
    'an alternative that ends without a place ends all',
    'p.continueAt(absent, len(p.code))',
    'p.continueAt(absent, len(p.code)+1000)',
  ],
  [
    'alternatives write to the same places',
    'p.part(part, from, false, &absent)',
    'p.part(part, from, isOwned, &absent)',
  ],
  [
    'a repeated part may be absent',
    'p.part(tree.Sub[0], p.star(tree.Sub[0], from, isOwned), true, none)',
    'p.star(tree.Sub[0], from, isOwned)',
  ],
  ['a group is repeated only a few times', 'op: afterRun, to: found, from: last', 'op: toCopy, to: found, from: last'],
]);

const classes = mutantsOf('module/engine/match/classes.go', [
  ['the case of letters matters', 'if flags&syntax.FoldCase == 0 {', 'if flags >= 0 {'],
  ['a class has the line end', 'if first < firstByte {', 'if first < 0 {'],
]);

const parallel = mutantsOf('module/engine/match/parallel.go', [
  ['a run is one character', 'found.Add(found, members)', 'found.Lsh(found, 1)'],
  ['places of many repetitions are not confirmed', 'p.isMore = true', 'p.isMore = false'],
  ['alternatives have the places of others', 'to.SetInt64(0)', '_ = to'],
]);

const places = mutantsOf('module/engine/match/places.go', [
  ['only the start of a text is searched', 'for len(digits) > 0 {', 'if len(digits) > 0 {'],
  ['half of a class is the other half', 'And(bit, placesOfClass(p, high))', 'And(bit, placesOfClass(p, low))'],
  ['a line begins behind the last', 'new(big.Int).Sub(p.all, one)', 'p.all'],
  [
    'a match ends on the line end',
    'return new(big.Int).Lsh(placesOfClass(p, lineEndClass), 1)',
    'return placesOfClass(p, lineEndClass)',
  ],
]);

const lines = mutantsOf('module/engine/match/lines.go', [
  ['the line after the one that matches is found', 'l.whole[:start], LineEnd) - 1', 'l.whole[:start], LineEnd)'],
  [
    'lines behind the first that matches are not found',
    '&& !take(start, first) {',
    '&& (!take(start, first) || true) {',
  ],
  ['only the first line is confirmed', 'found = next.And(next.Sub(next, one), found)', 'found = next.SetInt64(0)'],
]);

const search = mutantsOf('module/engine/match/search.go', [
  ['only the first line is searched', 'line != "" && !s.seen[line]', 'len(s.suspects) == 0'],
  [
    'too many lines that match are none',
    'len(found) > mostMatched {\n\t\t\treturn nil',
    'len(found) > mostMatched {\n\t\t\treturn map[string]bool{}',
  ],
  ['only the first pattern is searched for', 'i = s.patterns.Next(whole, i+1)', 'i = -1'],
  [
    'many literals are none',
    'case count > mostSelected:\n\t\treturn whole',
    'case count > mostSelected:\n\t\treturn ""',
  ],
]);

const selected = mutantsOf('module/engine/match/selected.go', [
  ['the text before the one with a mark is selected', 'texts[at[0]-k]', 'texts[max(0, at[0]-k-1)]'],
]);

export const interpretedPatterns: readonly Mutant[] = [
  ...interpreted,
  ...program,
  ...classes,
  ...parallel,
  ...places,
  ...lines,
  ...search,
  ...selected,
];
