/**
 * Mutants of the prefilters in Go and Lua, and of what only an interpreter runs: faults with which requests would skip the
 * inspection.
 */
import { type Mutant, mutantsOf } from './mutant.ts';

const goTargets = mutantsOf('module/engine/target_prefilter.go', [
  ['long targets pass', 'len(target) > PrefilterBytes || ', ''],
  ['doubled slashes pass', '"//", "/.", "./"', '"/.", "./"'],
  ['segments that end in a dot pass', '"//", "/.", "./"', '"//", "/."'],
  ['a dot at the end passes', 'list = append(list, "."+end)', '_ = end'],
  ['absolute targets pass', 'list = append(list, TargetStart+b) // absolute form', '_ = b'],
  ['ambiguous bytes pass', 'if isAmbiguous(byte(c)) || ', 'if '],
  ['a plus in a query passes', `(c == '+' || c == '"')`, `c == '"'`],
  ['a quotation mark in a query passes', `(c == '+' || c == '"')`, "c == '+'"],
  ['rules for queries have no literals', ' || s.policy.CheckQuery && r.kinds&queryKind != 0', ''],
  [
    'rules without literals do not count',
    '\t\t\treturn nil\n\t\t}\n\t\tfor _, literal',
    '\t\t\tcontinue\n\t\t}\n\t\tfor _, literal',
  ],
  ['literals begin a path only', 'heads, literal = starts, ', 'heads, literal = starts[:1], '],
  ['literals end a path only', 'tails, literal = ends, ', 'tails, literal = ends[:1], '],
  ['common targets pass in any case', 'lower != target && p.common[lower]', 'false'],
  ['common targets pass whatever the policy', '!e.run().Blocked', 'e.run().Place >= 0'],
]);

const goRules = mutantsOf('module/engine/match/prefilter.go', [
  ['patterns without literals are never tried', 's.always.Add(i)', '_ = i'],
  [
    'literals at the end of a text are not found',
    'state = next[state+uint32(class[textEnd[0]])]\n\tif state >= found {',
    'if false {',
  ],
  [
    'literals at the start of a text are not found',
    's.start = s.next[t.nodes[0].state+uint32(classes[textStart[0]])]',
    's.start = t.nodes[0].state',
  ],
  ['upper case hides a literal', 's.class[strings.ToUpper(string(rune(n.last)))[0]] = class', '_ = strings.ToUpper'],
  ['a literal inside of another one is not found', 'copy(row, s.next[n.suffix.state:])', '_ = row'],
]);

const goInterpreted = mutantsOf('module/engine/match/interpreted_prefilter.go', [
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

const goProgram = mutantsOf('module/engine/match/program.go', [
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

const goClasses = mutantsOf('module/engine/match/classes.go', [
  ['the case of letters matters', 'if flags&syntax.FoldCase == 0 {', 'if flags >= 0 {'],
  ['a class has the line end', 'if first < firstByte {', 'if first < 0 {'],
]);

const goParallel = mutantsOf('module/engine/match/parallel.go', [
  ['a run is one character', 'found.Add(found, members)', 'found.Lsh(found, 1)'],
  ['places of many repetitions are not confirmed', 'p.isMore = true', 'p.isMore = false'],
  ['alternatives have the places of others', 'to.SetInt64(0)', '_ = to'],
]);

const goPlaces = mutantsOf('module/engine/match/places.go', [
  ['only the start of a text is searched', 'for len(digits) > 0 {', 'if len(digits) > 0 {'],
  ['half of a class is the other half', 'And(bit, placesOfClass(p, high))', 'And(bit, placesOfClass(p, low))'],
  ['a line begins behind the last', 'new(big.Int).Sub(p.all, one)', 'p.all'],
  [
    'a match ends on the line end',
    'return new(big.Int).Lsh(placesOfClass(p, lineEndClass), 1)',
    'return placesOfClass(p, lineEndClass)',
  ],
]);

const goLines = mutantsOf('module/engine/match/lines.go', [
  ['the line after the one that matches is found', 'l.whole[:start], LineEnd) - 1', 'l.whole[:start], LineEnd)'],
  [
    'lines behind the first that matches are not found',
    '&& !take(start, first) {',
    '&& (!take(start, first) || true) {',
  ],
  ['only the first line is confirmed', 'found = next.And(next.Sub(next, one), found)', 'found = next.SetInt64(0)'],
]);

const goSearch = mutantsOf('module/engine/match/search.go', [
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

const goSelected = mutantsOf('module/engine/match/selected.go', [
  ['the text before the one with a mark is selected', 'texts[at[0]-k]', 'texts[max(0, at[0]-k-1)]'],
]);

const goPluses = [
  ...mutantsOf('module/engine/bodyscan.go', [
    ['a step minds no space', 's.mindsSpaces = s.mindsSpaces || t.mindsSpaces', '_ = t.mindsSpaces'],
    ['spaces of a form are not scanned', 'strings.ReplaceAll(lines, "+", " ")', 'lines'],
  ]),
  ...mutantsOf('module/engine/textview.go', [
    ['a step on one line minds no space', 't.isSeveral, t.isSeveral, !t.isSeveral', 't.isSeveral, t.isSeveral, false'],
    ['a space before a slash is a plus', 'return strings.Contains(lines, " /") || ', 'return '],
    ['a space before a dot is a plus', ' || strings.Contains(lines, " .")', ''],
    ['a space at the end of a line is a plus', 'strings.Contains(lines, " \\n") ||', ''],
    ['a space at the end is a plus', 'strings.HasSuffix(lines, " ") || ', ''],
    ['a space before a stream is a plus', ' || strings.Contains(lines, ":$")', ''],
  ]),
  ...mutantsOf('module/engine/match/search.go', [
    ['no literal has a plus', ' && !s.patterns.hasPlus', ''],
    ['a line with a literal is clear with pluses', 's.size == 0 && ', ''],
  ]),
];

const goBatches = [
  ...mutantsOf('module/engine/matched.go', [
    ['no candidate is one that a rule matches', 'e.matched[line] {', 'e.matched[line] && v == nil {'],
    [
      'one of the lines that match is searched for',
      'return true\n\t\t}\n\t}\n\treturn false\n}\n\n// fewMatched',
      'return true\n\t\t}\n\t\tbreak\n\t}\n\treturn false\n}\n\n// fewMatched',
    ],
  ]),
  ...mutantsOf('module/engine/batch.go', [
    ['a value that was read at once has no spaces', 'b.withSpaces(append(lines, line), value)', 'append(lines, line)'],
    ['any number of values that were read at once is inspected', 'if b.counted < limits.BodyValues {', 'if true {'],
  ]),
  ...mutantsOf('module/engine/formtexts.go', [
    ['a value of a form has no =', 'if hasTwoEquals(pairs) {', 'if false {'],
  ]),
];

const goInner = mutantsOf('module/engine/innerstrings.go', [
  ['a value without a quotation mark has no strings', `strings.IndexByte(pairs, '"') >= 0 || `, ''],
  ['a value without an encoded quotation mark has no strings', 'strings.Contains(pairs, "%22") || ', ''],
  ['a value without a wide escape has no strings', ' || strings.Contains(pairs, "%u")', ''],
  ['lines of a body have no strings', 'found := innerLine', 'found := innerLine.FindAllString("", 0)\n\t_ = innerLine'],
]);

const goWords = mutantsOf('module/engine/word.go', [
  ['a value that ends in a dot is a word', '".\\n", "!\\n", ', ''],
  ['each byte that makes a value no word counts', '"!\\n")\n}', '"!")\n}'],
]);

const goTexts = mutantsOf('module/engine/library.go', [
  [
    'control characters are not removed',
    'unmarkedBytes  = bytesWithout(isMark)',
    'unmarkedBytes  = bytesWithout(isHigh)',
  ],
  [
    'a text that is not ASCII is',
    'asciiBytes     = bytesWithout(isHigh)',
    'asciiBytes     = bytesWithout(func(_ byte) bool { return false })',
  ],
]);

const goSegments = mutantsOf('module/engine/segmentstext.go', [
  ['the last segment of a line is lost', 'namedEnds.Replace(withNames(whole))', 'withNames(whole)'],
  [
    'of lines with dot segments, only the first byte counts',
    'lines[i] = dotsLine(line)',
    'lines[i] = dotsLine(line)[:1]',
  ],
]);

const goWindows = mutantsOf('module/engine/windowstext.go', [
  ['only one dot at the start of a segment is kept', 'stable(keptInTurn, text)', 'text, true'],
  ['only one dot is kept beside line ends', 'stable(keptRuns.Replace, text)', 'text, true'],
  [
    'dots beside line ends are restored like others',
    'if isKept && hasPairs {\n\t\ttext = notKept',
    'if false {\n\t\ttext = notKept',
  ],
]);

const goLineReadings = mutantsOf('module/engine/linereadings.go', [
  ['no line needs more rounds of decoding', 'differ[i] = after[i] != line', 'differ[i] = after[i] == "" && line == ""'],
  ['a text that was cut is as open as the whole one', 'readingGroup{l.cutOpen, true', 'readingGroup{l.open, true'],
  ['a line that was open is closed again', 'open[i] || !strings.HasSuffix', '!strings.HasSuffix'],
  ['a path without shapes keeps its last slash', 'l.take(g, b, !isShaped)', 'l.take(g, b, false)'],
]);

const goAtOnce = mutantsOf('module/engine/atonce.go', [
  ['lines that no cut changes have readings of a cut one', 'r.of != nil && r.of[i] == r.from[i]', 'false'],
  ['a path keeps its last slash', '!r.hasSlashes || ', 'true || '],
]);

const goPlainForm = mutantsOf('module/engine/plainform.go', [
  ['a field that is cut is plain', ' || areCut(texts)', ''],
  ['marks in a field are those of a form', ' || bytes.Contains(form, []byte(fieldMark))', ''],
  ['a form with other parts is plain', 'len(texts) != 2*parts', 'len(texts) == 0'],
]);

const goPairs = mutantsOf('module/engine/pairsatonce.go', [
  ['only the first pairs of a query are inspected', 'all = all[size:]', 'all = nil\n\t\t_ = size'],
  ['a query of too many pairs is inspected in part', 'limit == "" && pairs > limits.QueryPairs', 'false'],
]);

const goCollected = mutantsOf('module/engine/collected.go', [
  ['only the first batch of parts is inspected', 'at += len(batch)', 'at = len(c.texts)'],
  ['a limit on the parts of a form is not reached', 'b.isDone = b.isDone || c.isDone', '_ = c.isDone'],
  ['a limit is reached behind all parts only', 'c.overflow != "" && at+i == c.textsBefore', 'false'],
]);

const goInspection = mutantsOf('module/engine/inspect.go', [
  ['the first candidate that a rule matches is skipped', 'first = e.firstHit\n', 'first = e.firstHit + 1\n'],
]);

const goXml = mutantsOf('module/engine/xmltexts.go', [
  ['literals of declarations are not found', '$)|(` + xmlOpen', '$)|` + xmlOpen + `!` + xmlInTag + `|(` + xmlOpen'],
  ['references in CDATA are decoded', 'return strings.ReplaceAll(section, "&", "&amp;")', 'return section'],
  ['values in single quotes are not found', '"\\n${1}${2}${3}"', '"\\n${1}${2}"'],
  [
    'a byte order mark is text',
    'xmlMarked.Replace(strings.TrimPrefix(body, byteOrderMark))',
    'xmlMarked.Replace(body)',
  ],
  ['only short references are decoded', 'if strings.Contains(lines, "&#") {', 'if false {'],
  ['what is decoded is decoded again', 'return xmlAmpersand\n', 'return "&"\n'],
  ['a NUL is clear', 'if strings.Contains(body, "\\x00") || ', 'if '],
  ['a tag that is not clear is clear', 'strings.Contains(other, "<") || ', ''],
  ['every encoding is known', '!has(asciiCharsets, lower(found[1]))', 'found == nil'],
  ['blanks at the ends of values are kept', 'len(lines) == before {', 'len(lines) <= before {'],
  ['vertical tabs are marks', '"\\v", xmlTab, "<"', '"<"'],
  ['line feeds in values stay marks', 'values[i] = fromLine.Replace(value)', 'values[i] = value'],
]);

const goXmlLines = mutantsOf('module/engine/xmllines.go', [
  ['texts are not scanned', 'xmlTagLine.ReplaceAllLiteralString(structured, "")', '""'],
  ['values in single quotes are not scanned', '"\\n${1}${2}"', '"\\n${1}"'],
  [
    'tags without double quotes have no values',
    'strings.ContainsAny(structured, `"\'`)',
    'strings.Contains(structured, `"`)',
  ],
]);

const goJoined = mutantsOf('module/engine/xmljoined.go', [
  ['blank texts count', 'xmlBlankTexts.ReplaceAllString(lines, "\\r${1}")', 'lines'],
  ['bytes of a body are marks', 'if strings.ContainsAny(lines, xmlOutlineMarks) {', 'if false {'],
  ['a text before a declaration is alone', '[` + xmlAStart + xmlADeclaration + `]|[', '[` + xmlAStart + `]|['],
  ['a text behind a declaration is alone', 'xmlAnEnd + xmlADeclaration + xmlAnEmptyEnd', 'xmlAnEnd + xmlAnEmptyEnd'],
  [
    'a text behind an empty element is alone',
    'xmlAnEnd + xmlADeclaration + xmlAnEmptyEnd',
    'xmlAnEnd + xmlADeclaration',
  ],
  [
    'a text that looks like the end of an empty element is one',
    'strings.ReplaceAll(outline, xmlAText+xmlAnEmptyEnd, xmlAText)',
    'outline',
  ],
  ['two texts are not joined', 'if node.filled > 1 {', 'if node.filled > 2 {'],
  ['one inner text is not joined', '> node.filled {', '> node.filled+1 {'],
  ['open elements are not joined', 'for len(j.open) > 0 {', 'for len(j.open) > 1 {'],
  ['empty elements stay open', '!strings.HasSuffix(line, "/>") && ', ''],
  ['declarations stay open', ' && !strings.HasPrefix(line, " "+xmlOpen+"!")', ''],
  ['each text has the whole limit', 'j.used += size', 'j.used = size'],
  ['marks count towards the limit', '-strings.Count(whole, "\\v")', ''],
]);

const luaRules = mutantsOf('module/lua/guard/engine/prefilter.lua', [
  [
    'rules without literals are never tried in Lua',
    'local fallback = #always > 0 and always or nil',
    'local fallback = nil',
  ],
  ['rules beyond the states are never tried', 'always[#always + 1] = positions[rule]', ''],
  ['upper case hides a literal in Lua', 'column_of[code] = column_of[lower_case[code]]', ''],
  [
    'literals at the end of a text are not found in Lua',
    'return is_end[state] == 1 and add(found, trie.ends[state]) or found',
    'return found',
  ],
  [
    'literals at the start of a text are not found in Lua',
    'trie.start = trie.next[trie.column_of[TEXT_START]]',
    'trie.start = 0',
  ],
  ['a literal inside of another one is not found in Lua', 'ends[state] = append(ends[state], ends[suffix[state]])', ''],
]);

const luaTargets = mutantsOf('module/lua/guard/engine/target_prefilter.lua', [
  [
    'a path with several readings passes',
    'code == COLON or telling[previous * 256 + code] == 1 then\n            return nil',
    'code == COLON then\n            return nil',
  ],
  ['a quotation mark in a query passes in Lua', 'query_telling[first * 256 + QUOTE] = 1', ''],
  ['absolute targets pass in Lua', 'code == COLON or telling', 'telling'],
  ['long paths pass in Lua', 'at <= path_bytes + 1 and ', ''],
  ['paths that end in a dot pass in Lua', ' and can_end(previous)\n    return is_plain', '\n    return is_plain'],
  [
    'a literal at the end of a path passes in Lua',
    'return is_plain and at - 1 or nil, hits + is_end[state] > 0',
    'return is_plain and at - 1 or nil, hits > 0',
  ],
  ['queries pass in Lua', 'elseif checks_query and stop < #target', 'elseif false and stop < #target'],
  ['a plus in a query passes in Lua', 'query_telling[first * 256 + PLUS] = 1', ''],
  ['values that end in a dot pass in Lua', 'if not can_end(previous) or (hits', 'if (hits'],
  ['a literal at the end of a value passes in Lua', 'hits = hits + is_end[next_state[state * columns + stop]]', ''],
  ['too many pairs pass in Lua', 'parts <= query_pairs and ', ''],
  ['long queries pass in Lua', ' and length - mark <= query_bytes', ''],
  [
    'rules without literals do not count in Lua',
    'not has_literal and not path_filter.is_open or ',
    'not has_literal or ',
  ],
]);

export const goPrefilters: readonly Mutant[] = [
  ...goTargets,
  ...goRules,
  ...goInterpreted,
  ...goProgram,
  ...goClasses,
  ...goParallel,
  ...goPlaces,
  ...goLines,
  ...goSearch,
  ...goSelected,
  ...goPluses,
  ...goBatches,
  ...goInner,
  ...goWords,
  ...goTexts,
  ...goSegments,
  ...goWindows,
  ...goLineReadings,
  ...goAtOnce,
  ...goPlainForm,
  ...goPairs,
  ...goCollected,
  ...goInspection,
  ...goXml,
  ...goXmlLines,
  ...goJoined,
];
export const luaPrefilters: readonly Mutant[] = [...luaRules, ...luaTargets];
