/** Mutants of targets, queries and headers. */
import { type Mutant, mutantsOf } from './mutant.ts';

const split = mutantsOf('engine/split.ts', [
  ['an absolute form keeps its origin', 'start = origin.lastIndex;', 'start = 0 * origin.lastIndex;'],
  ['one origin is cut', 'while (origin', 'if (origin'],
  ['an origin needs an authority', '[^/?#\\\\]*)?/y', '[^/?#\\\\]*)/y'],
  ['a scheme has letters only', '[A-Za-z0-9+.-]*:', '[A-Za-z]*:'],
  ['a scheme may begin with a digit', '/[A-Za-z][', '/[A-Za-z0-9]['],
  ['a scheme may be one letter only', '[A-Za-z0-9+.-]*:', '[A-Za-z0-9+.-]+:'],
  ['a scheme is in lower case', '/[A-Za-z][A-Za-z0-9+.-]*:', '/[a-z][a-z0-9+.-]*:'],
  ['a query is part of the authority', '[^/?#\\\\]*)?/y', '[^/#\\\\]*)?/y'],
  ['a fragment is part of the authority', '[^/?#\\\\]*)?/y', '[^/?\\\\]*)?/y'],
  ['a backslash is part of the authority', '[^/?#\\\\]*)?/y', '[^/?#]*)?/y'],
  ['the last question mark begins the query', "indexOf('?')", "lastIndexOf('?')"],
  ['an empty path stays empty', "local.slice(0, mark) || '/'", 'local.slice(0, mark)'],
  ['an empty target stays empty', "local || '/'", 'local'],
]);

const query = mutantsOf('engine/query.ts', [
  ['the last equals sign ends a key', "indexOf('=')", "lastIndexOf('=')"],
  ['keys are not inspected', '[part.slice(0, mark), part.slice(mark + 1)]', '[part.slice(mark + 1)]'],
  ['values are not inspected', '[part.slice(0, mark), part.slice(mark + 1)]', '[part.slice(0, mark)]'],
  ['a part without = is not inspected', 'mark < 0 ? [part] :', 'mark < 0 ? [] :'],
  ['+ is never a space', "? [value, value.replaceAll('+', ' ')] :", '? [value] :'],
  ['+ is always a space', '? [value, value.replaceAll', '? [value.replaceAll'],
  ['one + is a space', "replaceAll('+', ' ')", "replace('+', ' ')"],
  ['the query has no limit', 'query.length > limits.queryBytes', 'false'],
  ['the number of pairs has no limit', 'pairs > limits.queryPairs', 'false'],
  ['a semicolon does not separate pairs', "if (part.includes(';')) yield*", "if (part.includes('\\0')) yield*"],
  ['pieces of parts without a semicolon repeat', "if (part.includes(';')) yield*", 'yield*'],
  [
    'parts with a semicolon are not inspected whole',
    "yield* nonEmptyParts(query, '&');",
    "yield* nonEmptyParts(query, '&').filter((part) => !part.includes(';'));",
  ],
  [
    'pieces come before the parts that follow',
    "yield* nonEmptyParts(query, '&');",
    "for (const part of nonEmptyParts(query, '&')) yield* part.includes(';') ? [part, ...nonEmptyParts(part, ';')] : [part];",
  ],
  ['a hash ends the query', 'of itemsOf(query)', "of itemsOf(query.split('#')[0] ?? '')"],
  ['words in JSON count as pairs', 'counts: pieceOf(text).counts', 'counts: true'],
  ['no string in JSON counts as a pair', 'counts: pieceOf(text).counts', 'counts: false'],
  [
    'strings in JSON are not inspected',
    'for (const text of innerStrings(formValues(query))) yield',
    'for (const text of innerStrings([])) yield',
  ],
  [
    'values have no separate limit',
    'view(value, limits.queryBytes, budget)',
    'view(value, limits.queryBytes, { used: 0 })',
  ],
]);

const inner = mutantsOf('engine/inner-strings.ts', [
  ['blanks do not precede JSON', '[ \\t\\r\\n+]', '[+]'],
  ['a plus does not precede JSON', '[ \\t\\r\\n+]', '[ \\t\\r\\n]'],
  ['an encoded space does not precede JSON', '|%20|', '|'],
  ['an encoded tab does not precede JSON', '|%09|', '|'],
  ['an encoded line feed does not precede JSON', '%0[aAdD]', '%0[dD]'],
  ['an encoded return does not precede JSON', '%0[aAdD]', '%0[aA]'],
  ['an object is not JSON', '[{[]', '[[]'],
  ['a list is not JSON', '[{[]', '[{]'],
  ['an encoded object is not JSON', '|%7[bB]', ''],
  ['an encoded list is not JSON', '|%5[bB])', ')'],
  ['every value is JSON', 'if (start.test(value))', ''],
  ['text precedes JSON', 'const start = /^', 'const start = /'],
  ['JSON is not decoded', "decode(value.replaceAll('+', ' '))", "value.replaceAll('+', ' ')"],
  ['a plus in JSON is a plus', "value.replaceAll('+', ' ')", 'value'],
  ['a plus in JSON is decoded after it', "decode(value.replaceAll('+', ' '))", "decode(value).replaceAll('+', ' ')"],
  ['empty strings are inspected', "if (text !== '') yield", 'yield'],
]);

const headers = mutantsOf('engine/headers.ts', [
  ['a cookie is a path', "name === 'header:cookie'", 'false as boolean'],
  ['an ampersand divides a cookie', ".replaceAll('&', '%26')", ''],
  ['blanks belong to the next cookie', '/;[ \\t]*/g', '/;/g'],
  ['names of headers have a case', "name.toLowerCase().replaceAll('_', '-')", "name.replaceAll('_', '-')"],
  ['underscores are not dashes', ".replaceAll('_', '-')", ''],
  ['underscores come first', '[...exact, ...other]', '[...other, ...exact]'],
  ['the spelling with underscores is skipped', '[...exact, ...other]', 'exact'],
  ['spaces around a value belong to it', "strip(value, ' \\t')", "strip(value, '\\t')"],
  ['tabs around a value belong to it', "strip(value, ' \\t')", "strip(value, ' ')"],
  ['values do not count as pairs', 'count.pairs += 1;', ''],
  [
    'values have a count of pairs each',
    'queryTargets(name, query, budget, count)',
    'queryTargets(name, query, budget, { pairs: 0 })',
  ],
  ['the number of values has no limit', 'count.pairs > limits.queryPairs', 'false'],
  ['a value has no limit', 'value.length > limits.headerBytes', 'false'],
  ['a value has the limit of a path', 'view(path, limits.headerBytes', 'view(path, limits.pathBytes'],
  ['the query of a value is never inspected', 'query !== undefined && checkQuery', 'false'],
  ['the query of a value is always inspected', ' && checkQuery', ''],
  ['empty values are inspected', "if (value !== '') yield*", 'yield*'],
  ['a target keeps the case of its name', 'header:${name.toLowerCase()}', 'header:${name}'],
  ['a value is not a path', "yield { name, kind: 'path', ...view", "yield { name, kind: 'query', ...view"],
]);

const order = mutantsOf('engine/targets.ts', [
  ['a no-break space ends nothing', '/[\\x85\\xa0]/', '/[\\x85]/'],
  ['a next line ends nothing', '/[\\x85\\xa0]/', '/[\\xa0]/'],
  ['white space belongs to what it ends', 'target.slice(0, end)', 'target.slice(0, end + 1)'],
  ['the rewritten target is not inspected', ', ...(rewritten === undefined ? [] : [rewritten])]', ']'],
  ['the rewritten target replaces the raw one', 'return [target, ', 'return [rewritten ?? target, '],
  ['the part before white space is not inspected', ' ...ended,', ''],
  ['the query is always inspected', 'policy.checkQuery && query', 'query'],
  ['the query is never inspected', 'policy.checkQuery && query', 'false && query'],
  ['the body is always inspected', 'if (policy.checkBody) yield*', 'yield*'],
  ['the body is never inspected', 'if (policy.checkBody) yield*', 'if (false) yield*'],
  ['headers are not inspected', 'yield* headerTargets(policy.checkHeaders,', 'yield* headerTargets([],'],
  ['paths have a budget each', 'view(path, limits.pathBytes, budget)', 'view(path, limits.pathBytes, { used: 0 })'],
]);

export const targetMutants: readonly Mutant[] = [...split, ...query, ...inner, ...headers, ...order];
