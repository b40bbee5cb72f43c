import { type Mutant, mutantsOf } from './mutant.ts';

const readings = mutantsOf('module/engine/interpreted/readings.go', [
  ['no value needs more rounds of decoding', 'round == limits.DecodeRounds', 'round > limits.DecodeRounds'],
  ['folded lines are not read', '(folded == lines || r.yieldForms(folded)) && ', ''],
  ['valid lines are not read', 'r.yieldValid(lines) && ', ''],
  ['texts of base64 are not read', 'decoded == lines || r.yieldForms(decoded)', 'decoded != "" || true'],
  ['a vertical tab in a value is a mark', ' && !strings.Contains(lines, "\\v")', ''],
]);

const bytes = mutantsOf('module/engine/interpreted/byte_steps.go', [
  ['base64 is plain', ' && !base64Line.MatchString(text)', ''],
  [
    'control characters are not removed',
    'unchangedBytes       = bytesWithout(isChangedByDecoding)',
    'unchangedBytes       = bytesWithout(isHigh)',
  ],
  [
    'a text that is not ASCII is',
    'asciiBytes           = bytesWithout(isHigh)',
    'asciiBytes           = bytesWithout(func(_ byte) bool { return false })',
  ],
]);

const segments = mutantsOf('module/engine/interpreted/segment_steps.go', [
  ['the last segment of a line is lost', 'namedEnds.Replace(withNames(whole))', 'withNames(whole)'],
  ['empty segments are lost', 'namedEnds.Replace(withNames(whole))', 'namedEnds.Replace(whole)'],
  ['streams of Windows are kept', 'strings.Contains(s, ":$")', 'false'],
]);

const values = mutantsOf('module/engine/interpreted/body_values.go', [
  ['an escaped quotation mark ends a string', ', `\\"`, aQuote)', ')'],
  ['escapes in strings are not decoded', '+`\\`', ''],
  ['pairs between semicolons are not found', 'more != ""', 'more == "?"'],
]);

const words = mutantsOf('module/engine/interpreted/words.go', [
  ['a value that ends in a dot is a word', '".\\n", "!\\n", ', ''],
  ['a value that is not a word is not counted', 'strings.Count(marks, "!\\n")', 'strings.Count(marks, "!!\\n")'],
]);

const scanned = mutantsOf('module/engine/body_scan.go', [
  ['any number of values is inspected', 'c.counted+scan.NotWords > limits.BodyValues || ', ''],
  ['a value that needs more rounds of decoding is read', '!scan.IsWhole || ', ''],
  ['candidates of any length are read', ' || scan.Size > limits.ViewBytes', ''],
  ['a batch with a match is clear', 'len(scan.Matched) == 0 && scan.Size', 'scan.Size'],
  ['a batch costs nothing', 'b.buffers.used += scan.Size', '_ = b.buffers'],
  ['a batch counts no value', 'b.counted += scan.NotWords', '_ = b.counted'],
  ['only the first batch is read', 'first, size = i+1, 0', 'break'],
  ['a value that is cut is whole', 'b.recordOverflow(OverflowValue)\n\t\tvalue', 'value'],
]);

const inspection = mutantsOf('module/engine/inspect.go', [
  [
    'no candidate is one that a rule matches',
    'e.matched[string(candidate)] || e.matched[string(bytes.TrimRight(candidate, "/"))]',
    'len(candidate) < 0',
  ],
  [
    'a candidate that matches without its final slashes is left out',
    ' || e.matched[string(bytes.TrimRight(candidate, "/"))]',
    '',
  ],
]);

const inner = mutantsOf('module/engine/query.go', [
  ['a value without a quotation mark has no strings', `strings.IndexByte(pairs, '"') >= 0 || `, ''],
  ['a value without an encoded quotation mark has no strings', 'strings.Contains(pairs, "%22") || ', ''],
  ['a value without a wide escape has no strings', ' || strings.Contains(pairs, "%u")', ''],
]);

export const interpretedReadings: readonly Mutant[] = [
  ...readings,
  ...bytes,
  ...segments,
  ...values,
  ...words,
  ...scanned,
  ...inspection,
  ...inner,
];
