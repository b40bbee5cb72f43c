import { type Mutant, mutantsOf } from './mutant.ts';

const prefilter = mutantsOf('module/engine/interpreted/prefilter.go', [
  [
    'a group with a pattern without literals is skipped',
    'g.isBlind = g.isBlind || m.marked == nil',
    'g.isBlind = len(literals) == 0 && m.marked == nil',
  ],
  ['patterns behind the first group are skipped', 'g < len(f.groups); g++', 'g < min(1, len(f.groups)); g++'],
  ['the ends of a literal are not those of a line', 'lineEnds.Replace(literal)', 'literal'],
  ['slashes hide a literal at the end of a line', 'i < len(ignored) && ', 'i < 0 && '],
  ['several slashes hide a literal at the end of a value', '"/" + match.LineEnd, "//"', '"/" + match.LineEnd'],
]);

const search = mutantsOf('module/engine/interpreted/search.go', [
  ['upper case hides a literal from the interpreter', 'lowerCase(lines) + match.LineEnd', 'lines + match.LineEnd'],
  ['slashes at the end of a line hide a match', 'lines + match.LineEnd + bare', 'lines'],
  ['custom patterns are not searched for', 'if len(custom) > 0 {', 'if len(custom) > 1000 {'],
]);

const lineMatches = mutantsOf('module/engine/interpreted/line_matches.go', [
  ['only the first suspect is searched', 'if !isFound[line] {', 'if len(suspects) == 0 {'],
  ['only the first pattern is searched for', 'i = suspects.Next(i + 1)', 'i = -1'],
  ['only the first line with a mark is found', 'next := strings.Index(marks[end:], mark)', 'next := -1'],
  ['a group with a literal is skipped', 'g.marked(lower) == lower', 'g.marked(lower) != ""'],
  ['a search that ended early is complete', 'm.found, m.count <= mostMatches', 'm.found, true'],
  [
    'a line shares its ends with others',
    'match.LineEnd+match.LineEnd) + match.LineEnd',
    'match.LineEnd) + match.LineEnd',
  ],
]);

const scan = mutantsOf('module/engine/interpreted/scan.go', [
  ['only the first batch is read', 'if all > limits.RequestBytes {', 'if all >= 0 {'],
  ['any number of candidates is read', 'if all > limits.RequestBytes {', 'if all < 0 {'],
  ['a candidate counts each time it is made', 's.candidates[text][candidate] || s.limits', 's.limits'],
  ['a text has all candidates', 's.sizes[text]+len(candidate) > limits.ViewBytes', 'false'],
  ['a text that needs more rounds of decoding is complete', 's.limits[i] = engine.ReasonLimitDecodeRounds', '_ = i'],
  [
    'a candidate that matches without its final slashes is left out',
    ' || found[strings.TrimRight(candidate, "/")]',
    '',
  ],
  ['a text with a match is clean', '!isMatched(candidates, found)', 'len(candidates) >= 0'],
]);

const program = mutantsOf('module/engine/interpreted/program.go', [
  ['an optional part is required', 'op: opCopy, dst: result, src: from', 'op: opClear, dst: result'],
  [
    'an optional part may not be absent where it matches',
    'op: opJoin, dst: result, src: from',
    'op: opSkip, next: len(p.code) + 1',
  ],
  [
    'an alternative that ends without a place ends all',
    'p.continueAt(absent, len(p.code))',
    'p.continueAt(absent, len(p.code)+1000)',
  ],
  [
    'a repeated part may be absent',
    'p.writePart(tree.Sub[0], p.writeStar(tree.Sub[0], from, isOwned), true, deadEnds)',
    'p.writeStar(tree.Sub[0], from, isOwned)',
  ],
  ['a group is repeated only a few times', 'op: opRun, dst: found, src: last', 'op: opCopy, dst: found, src: last'],
]);

const classes = mutantsOf('module/engine/interpreted/classes.go', [
  ['the case of letters matters', 'if flags&syntax.FoldCase == 0 {', 'if flags >= 0 {'],
  ['a class has the line end', 'if first < firstByte {', 'if first < 0 {'],
]);

const parallel = mutantsOf('module/engine/interpreted/parallel_search.go', [
  ['a run is one character', 'found.Add(found, members)', 'found.Lsh(found, 1)'],
  ['places of many repetitions are not confirmed', 'p.isMore = true', 'p.isMore = false'],
  ['alternatives have the places of others', 'to.SetInt64(0)', '_ = to'],
]);

const places = mutantsOf('module/engine/interpreted/places.go', [
  ['only the start of a text is searched', 'for len(digits) > 0 {', 'if len(digits) > 0 {'],
  ['half of a class is the other half', 'And(bit, placesOfClass(p, high))', 'And(bit, placesOfClass(p, low))'],
  ['a line begins behind the last', 'new(big.Int).Sub(p.all, bigOne)', 'p.all'],
  [
    'a match ends on the line end',
    'return new(big.Int).Lsh(placesOfClass(p, lineEndClass), 1)',
    'return placesOfClass(p, lineEndClass)',
  ],
]);

export const interpretedPatterns: readonly Mutant[] = [
  ...prefilter,
  ...search,
  ...lineMatches,
  ...scan,
  ...program,
  ...classes,
  ...parallel,
  ...places,
];
