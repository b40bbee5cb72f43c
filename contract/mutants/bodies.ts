/** Mutants of bodies. */
import { type Mutant, mutantsOf } from './mutant.ts';

const body = mutantsOf('engine/body.ts', [
  ['the last Content-Type counts', 'headers.find((', 'headers.findLast(('],
  ['parameters belong to the type', 'end < 0 ? value : value.slice(0, end)', 'value'],
  [
    'spaces belong to the type',
    "strip(end < 0 ? value : value.slice(0, end), ' \\t')",
    '(end < 0 ? value : value.slice(0, end))',
  ],
  ['types have a case', "' \\t').toLowerCase();", "' \\t');"],
  ['encoded bodies are inspected', 'if (isEncoded(headers)) return;', ''],
  ['identity is an encoding', "['', 'identity']", "['']"],
  ['an empty Content-Encoding is an encoding', "['', 'identity']", "['identity']"],
  ['encodings have a case', "\\f\\v').toLowerCase()", "\\f\\v')"],
  ['forms are not inspected', "type === 'application/x-www-form-urlencoded'", 'false'],
  ['JSON is not inspected', "type === 'application/json' || ", ''],
  ['+json is not inspected', " || type.endsWith('+json')", ''],
  ['multipart is not inspected', "type === 'multipart/form-data' &&", 'false &&'],
  ['a boundary may be empty', "boundary !== '' && ", ''],
  ['+ in a form is no space', 'values: formValues(body), isForm: true', 'values: formValues(body), isForm: false'],
  ['+ in JSON is a space', 'values: jsonStrings(body), isForm: false', 'values: jsonStrings(body), isForm: true'],
  ['+ in a part is a space', 'boundary), isForm: false', 'boundary), isForm: true'],
  ['the whole body is inspected', 'body.slice(0, maxBytes)', 'body'],
  ['the number of values has no limit', 'if (count === limits.bodyValues) return;', ''],
  ['long values are skipped', 'view(reading.slice(0, limits.bodyValueBytes),', 'view(reading,'],
  ['a limit of a body blocks', "kind: 'body', candidates };", "kind: 'body', candidates, ...(limit && { limit }) };"],
  ['every value has a budget of its own', 'limits.bodyValueBytes, budget)', 'limits.bodyValueBytes, { used: 0 })'],
  [
    'a spent view ends the inspection',
    "if (limit === 'limit_candidates' && isSpent) return;",
    "if (limit === 'limit_candidates') return;",
  ],
  ['a body is a query', "kind: 'body'", "kind: 'query'"],
]);

const json = mutantsOf('engine/json-strings.ts', [
  ['an escaped quote ends a string', "=== '\\\\' ? 2 : 1", "=== '\\\\' ? 1 : 1"],
  [
    'an open string does not count',
    'yield text.slice(open + 1, close)',
    "if (text.charAt(close) === '\"') yield text.slice(open + 1, close)",
  ],
  ['an escaped slash keeps its backslash', "  '/': '/',\n", ''],
  ['an escaped quote keeps its backslash', "  '\"': '\"',\n", ''],
  ['an escaped backslash stays two', "  '\\\\': '\\\\',\n", ''],
  ['\\t is no tab', "  t: '\\t',\n", ''],
  ['\\n is no newline', "  n: '\\n',\n", ''],
  ['\\b is no backspace', "  b: '\\b',\n", ''],
  ['\\f is no form feed', "  f: '\\f',\n", ''],
  ['\\r is no carriage return', "  r: '\\r',\n", ''],
  ['unknown escapes lose their backslash', '?? sequence;', '?? (letter as string);'],
  ['surrogate pairs are no character', '0x10000 + ((', '(('],
  ['lone high surrogates are decoded', 'codePoint >= 0xd800 &&', 'codePoint >= 0xdc00 &&'],
  ['lone low surrogates are decoded', 'codePoint <= 0xdfff', 'codePoint <= 0xdbff'],
  ['\\u takes no upper-case digits', '\\\\u([0-9A-Fa-f]{4})', '\\\\u([0-9a-f]{4})'],
  ['only the first string counts', "open = text.indexOf('\"', close + 1)", 'open = -1'],
]);

const multipart = mutantsOf('engine/multipart.ts', [
  ['lines end in CRLF only', '(?:^|\\\\r?\\\\n)--', '(?:^|\\\\r\\\\n)--'],
  ['a body begins with a line end', '(?:^|\\\\r?\\\\n)--', '(?:\\\\r?\\\\n)--'],
  ['a boundary may stand anywhere', '(?:^|\\\\r?\\\\n)--', '--'],
  ['a boundary is a pattern', "boundary.replace(/[\\\\^$.*+?()[\\]{}|/-]/g, '\\\\$&')", 'boundary'],
  ['the preamble is a part', '.slice(1);\n}', ';\n}'],
  ['spaces behind a boundary belong to the part', '/^[ \\t]*\\r?\\n/', '/^\\r?\\n/'],
  ['header lines end in CRLF CRLF only', '/\\r?\\n\\r?\\n/', '/\\r\\n\\r\\n/'],
  ['names of headers have a case', 'line.toLowerCase().startsWith', 'line.startsWith'],
  ['names of fields are not inspected', "['name', 'filename', 'filename*']", "['filename', 'filename*']"],
  ['names of files are not inspected', "['name', 'filename', 'filename*']", "['name', 'filename*']"],
  ['extended names of files are not inspected', "['name', 'filename', 'filename*']", "['name', 'filename']"],
  ['names of files come first', "['name', 'filename', 'filename*']", "['filename', 'filename*', 'name']"],
  ['a file is told by filename alone', " || parameters.has('filename*')", ''],
  ['a file is told by filename* alone', "parameters.has('filename') || ", ''],
  ['files are inspected', ' && !isFile', ''],
  ['the final boundary ends nothing', "if (part.startsWith('--')) return;", ''],
  ['quotes need not be escaped', 'escape: /\\\\(["\\\\])/g', 'escape: /\\0(\\0)/g'],
  ['a name must be closed', 'mayBeOpen: true', 'mayBeOpen: false'],
]);

const parameters = mutantsOf('engine/parameters.ts', [
  ['the last of equal parameters counts', 'if (!parameters.has(key)) parameters', 'parameters'],
  ['names of parameters have a case', '(match[1] as string).toLowerCase()', '(match[1] as string)'],
  ['quotes belong to a value', "if (text.charAt(at) === '\"') {", "if (text.charAt(at) === '\\0') {"],
  ['an escaped quote closes a value', 'end += isEscape ? 2 : 1', 'end += 1'],
  ['a semicolon does not end a value', '/[^;" \\t', '/[^" \\t'],
]);

export const bodyMutants: readonly Mutant[] = [...body, ...json, ...multipart, ...parameters];
