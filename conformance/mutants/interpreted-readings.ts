/** Mutants of the batches in which the interpreted engine reads values. */
import { type Mutant, mutantsOf } from './mutant.ts';

const pluses = [
  ...mutantsOf('module/engine/bodyscan.go', [
    ['a step minds no space', 's.mindsSpaces = s.mindsSpaces || t.mindsSpaces', '_ = t.mindsSpaces'],
    ['spaces of a form are not scanned', 'strings.ReplaceAll(lines, "+", " ")', 'lines'],
  ]),
  ...mutantsOf('module/engine/textview.go', [
    ['a step on one line minds no space', 't.mindsSpaces = !t.isSeveral', 't.mindsSpaces = false'],
    ['a space in base64 is a plus', 'if t.isSeveral && strings.Contains(r, " ") {', 'if false {'],
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

const batches = [
  ...mutantsOf('module/engine/matched.go', [
    [
      'no candidate is one that a rule matches',
      'e.matched[line] || e.matched[strings.TrimRight(line, "/")]',
      'v == nil',
    ],
    [
      'a candidate that matches without its final slashes is left out',
      ' || e.matched[strings.TrimRight(line, "/")]',
      '',
    ],
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

const inner = mutantsOf('module/engine/innerstrings.go', [
  ['a value without a quotation mark has no strings', `strings.IndexByte(pairs, '"') >= 0 || `, ''],
  ['a value without an encoded quotation mark has no strings', 'strings.Contains(pairs, "%22") || ', ''],
  ['a value without a wide escape has no strings', ' || strings.Contains(pairs, "%u")', ''],
  ['lines of a body have no strings', 'found := innerLine', 'found := innerLine.FindAllString("", 0)\n\t_ = innerLine'],
]);

const base64 = [
  ...mutantsOf('module/engine/batch.go', [
    ['base64 passes in a batch', ' || base64Line.MatchString(lines) || ', ' || '],
    ['a word is not base64', '!isWordText(value) || base64Line.MatchString(value) || ', '!isWordText(value) || '],
  ]),
  ...mutantsOf('module/engine/innerstrings.go', [
    ['a word in JSON is not base64', 'isWord && !base64Line.MatchString(texts[i]) && ', 'isWord && '],
  ]),
  ...mutantsOf('module/engine/library.go', [['base64 is plain', ' && !base64Line.MatchString(text)', '']]),
];

const words = mutantsOf('module/engine/word.go', [
  ['a value that ends in a dot is a word', '".\\n", "!\\n", ', ''],
  ['each byte that makes a value no word counts', '"!\\n")\n}', '"!")\n}'],
]);

const texts = mutantsOf('module/engine/library.go', [
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

const segments = mutantsOf('module/engine/segmentstext.go', [
  ['lines keep their final slashes', 'return lines + match.LineEnd + bare', 'return lines'],
  ['lines keep all final slashes but one', 'most := 1 << 12', 'most := 0'],
  ['the last segment of a line is lost', 'namedEnds.Replace(withNames(whole))', 'withNames(whole)'],
  [
    'of lines with dot segments, only the first byte counts',
    'lines[i] = dotsLine(line)',
    'lines[i] = dotsLine(line)[:1]',
  ],
]);

const windows = mutantsOf('module/engine/windowstext.go', [
  ['only one dot at the start of a segment is kept', 'stable(keptInTurn, text)', 'text, true'],
  ['only one dot is kept beside line ends', 'stable(keptRuns.Replace, text)', 'text, true'],
  [
    'dots beside line ends are restored like others',
    'if isKept && hasPairs {\n\t\ttext = notKept',
    'if false {\n\t\ttext = notKept',
  ],
]);

const lineReadings = mutantsOf('module/engine/linereadings.go', [
  ['no line needs more rounds of decoding', 'l.over = at', 'l.over = nil'],
  ['lines that no step changes have its readings', 'if line != old[i] {', 'if line != old[i] || true {'],
  ['folded lines are not read', 'r.changed(text, folded)', '_ = folded'],
  ['valid lines are not read', 'valid != text {', 'valid != text && r == nil {'],
  ['texts of base64 are not read', 'r.changed(text, base64Texts(text))', '_ = base64Texts'],
]);

const atOnce = mutantsOf('module/engine/atonce.go', [
  ['a line that a step has emptied is left out', 'last := match.LineEnd', 'last := ""'],
]);

const plainForm = mutantsOf('module/engine/plainform.go', [
  ['a field that is cut is plain', ' || areCut(texts)', ''],
  ['marks in a field are those of a form', ' || bytes.Contains(form, []byte(fieldMark))', ''],
  ['a form with other parts is plain', 'len(texts) != 2*parts', 'len(texts) == 0'],
]);

const pairs = mutantsOf('module/engine/pairsatonce.go', [
  ['only the first pairs of a query are inspected', 'all = all[size:]', 'all = nil\n\t\t_ = size'],
  ['a query of too many pairs is inspected in part', 'limit == "" && pairs > limits.QueryPairs', 'false'],
]);

const collected = mutantsOf('module/engine/collected.go', [
  ['only the first batch of parts is inspected', 'at += len(batch)', 'at = len(c.texts)'],
  ['a limit on the parts of a form is not reached', 'b.isDone = b.isDone || c.isDone', '_ = c.isDone'],
  ['a limit is reached behind all parts only', 'c.overflow != "" && at+i == c.textsBefore', 'false'],
]);

const inspection = mutantsOf('module/engine/inspect.go', [
  ['the first candidate that a rule matches is skipped', 'first = e.firstHit\n', 'first = e.firstHit + 1\n'],
]);

export const interpretedReadings: readonly Mutant[] = [
  ...pluses,
  ...batches,
  ...inner,
  ...base64,
  ...words,
  ...texts,
  ...segments,
  ...windows,
  ...lineReadings,
  ...atOnce,
  ...plainForm,
  ...pairs,
  ...collected,
  ...inspection,
];
