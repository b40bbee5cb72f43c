import { type Mutant, mutantsOf } from './mutant.ts';

const readings = mutantsOf('module/engine/interpreted/readings.go', [
  ['no value needs more rounds of decoding', 'round == limits.DecodeRounds', 'round > limits.DecodeRounds'],
  ['folded lines are not read', 's.addForms(l.changed(folded.text)) && ', ''],
  ['lines without invalid bytes are not read', 's.addValid(l) && ', ''],
  ['texts of base64 are not read', 's.addForms(l.changed(base64Texts(l.text)))', 'true'],
  ['a vertical tab in a value is a mark', ' || strings.Contains(l.text, "\\v")', ''],
  ['a line belongs to the first value', 'values = append(values, l.values[i])', 'values = append(values, l.values[0])'],
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

const scanned = mutantsOf('module/engine/body_scan.go', [
  ['candidates of clean texts cost nothing', 'b.buffers.used += s.Size', '_ = s'],
  ['a clean text exceeds the budget of the body', ' || b.buffers.used+s.Size > limits.RequestBytes', ''],
  ['a clean text has no limit', 'return s.Limit, true', 'return "", true'],
  ['spaces of a form are not scanned', "b.isForm && bytes.IndexByte(value, '+') >= 0", 'false'],
  [
    'a body without a match is not inspected for limits',
    'isClean && b.rules.policy.BodyOverflow == overflowPasses',
    'isClean',
  ],
  ['a body with a match is not inspected', 'isClean && b.rules', 'isClean || b.rules'],
]);

const inner = mutantsOf('module/engine/query.go', [
  ['a value without a quotation mark has no strings', `strings.IndexByte(pairs, '"') >= 0 || `, ''],
  ['a value without an encoded quotation mark has no strings', 'strings.Contains(pairs, "%22") || ', ''],
  ['a value without a wide escape has no strings', ' || strings.Contains(pairs, "%u")', ''],
  ['a value of base64 has no strings', 'e.rules.steps != nil && base64JSON.MatchString(pairs)', 'false'],
  ['an encoded value of base64 has no strings', '(?:%|[eW]', '(?:[eW]'],
  ['an object of base64 has no strings', '[eW][%0', '[W][%0'],
  ['a list of base64 has no strings', '[eW][%0', '[e][%0'],
  ['a list of strings of base64 has no strings', '[%0-3wyz]', '[%0-3wz]'],
  ['a line end behind a bracket of base64 has no strings', '[%0-3wyz]', '[%0-3yz]'],
  ['a capital behind a bracket of base64 has no strings', '[%0-3wyz]', '[%1-3wyz]'],
  ['a list of lists of base64 has no strings', '[%0-3wyz]', '[%023wyz]'],
  ['a list of words of base64 has no strings', '[%0-3wyz]', '[%013wyz]'],
  ['a list of objects of base64 has no strings', '[%0-3wyz]', '[%0-2wyz]'],
  ['a list of numbers of base64 has no strings', '[%0-3wyz]', '[%0-3wy]'],
  ['an encoded second letter of base64 has no strings', '[%0-3wyz]', '[0-3wyz]'],
  ['an encoded letter behind a blank of base64 has no strings', 'I[%ACFH]', 'I[ACFH]'],
  ['a line end before JSON of base64 has no strings', '|C[%QSVXgiln]', ''],
  ['a carriage return before JSON of base64 has no strings', '|D[%QSVX]', ''],
  ['a value behind a semicolon has no strings', '[&=;]', '[&=]'],
  ['blanks of base64 have no strings', 'I[%ACFH]', 'I[%AFH]'],
  ['a blank and a list of base64 have no strings', 'I[%ACFH]', 'I[%ACH]'],
  ['a blank and an object of base64 have no strings', 'I[%ACFH]', 'I[%ACF]'],
]);

export const interpretedReadings: readonly Mutant[] = [
  ...readings,
  ...bytes,
  ...segments,
  ...values,
  ...scanned,
  ...inner,
];
