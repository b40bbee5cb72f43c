/** Mutants of the pattern grammar. */
import { type Mutant, mutantsOf } from './mutant.ts';

export const patternMutants: readonly Mutant[] = [
  ...mutantsOf('contract/regex/grammar.ts', [
    ['any byte may occur in a pattern', '/[^ -~]/', '/[^\\0-\\xff]/'],
    ['DEL may occur in a pattern', '/[^ -~]/', '/[^ -\\x7f]/'],
    [
      'groups need not be closed',
      "if (!take(cursor, ')')) throw new Refusal('unclosedGroup', at);",
      "take(cursor, ')');",
    ],
    [
      'groups may be closed before they open',
      "if (cursor.at < source.length) throw new Refusal('unopenedGroup', cursor.at);",
      '',
    ],
    ['assertions may be repeated', " || atom.kind === 'assertion'", ''],
    ['products of counts have no bound', 'if (largestProduct(repeat) > limits.regexRepeat)', 'if (false)'],
    ['depth is never left', '  cursor.depth -= 1;\n', ''],
    ['only lower-case assertions exist', "'\\\\z', '\\\\b', '\\\\B'", "'\\\\z', '\\\\b'"],
  ]),
  ...mutantsOf('contract/regex/measure.ts', [
    [
      'open counts are free',
      'repeat.max === Infinity ? repeat.min : repeat.max',
      'repeat.max === Infinity ? 1 : repeat.max',
    ],
    ['the lower count is the size', 'repeat.max === Infinity ? repeat.min : repeat.max', 'repeat.min'],
    ['nested counts add up', 'own * largestProduct(child)', 'own + largestProduct(child)'],
  ]),
  ...mutantsOf('contract/regex/quantifier.ts', [
    ['counts may have leading zeros', '(0|[1-9]\\d*)(?:(,)', '(\\d+)(?:(,)'],
    ['a lower count may be missing', '/\\{(0|[1-9]\\d*)', '/\\{(0|[1-9]\\d*|)'],
    ['counts may be reversed', "if (min > max) throw new Refusal('reversedQuantifier', at);", ''],
    ['nothing is lazy', "take(cursor, '?'); //", '//'],
  ]),
  ...mutantsOf('contract/regex/escape.ts', [
    ['\\x takes three digits', 'x([0-9A-Fa-f]{2})', 'x([0-9A-Fa-f]{2,3})'],
    ['\\x takes no lower-case digits', 'x([0-9A-Fa-f]{2})', 'x([0-9A-F]{2})'],
    ['\\x7F is a character', '!printable.includes(character)', "!(printable + '\\x7f').includes(character)"],
    ['\\xHH takes any byte', ' || !printable.includes(character)', ''],
    ['letters may be escaped', 'const punctuation = /[', 'const punctuation = /[a-z'],
    ['a space may be escaped', 'const punctuation = /[', 'const punctuation = /[ '],
    ['digits may be escaped', 'const punctuation = /[', 'const punctuation = /[0-9'],
    ['\\S does not exist', "  S: setOf((character) => character !== ' '),\n", ''],
    ['\\D does not exist', '  D: setOf((character) => !/\\d/.test(character)),\n', ''],
  ]),
  ...mutantsOf('contract/regex/class.ts', [
    ['a class escape may begin a range', 'from.isClass || to.isClass', 'to.isClass'],
    ['a class escape may end a range', 'from.isClass || to.isClass', 'from.isClass'],
    ['ranges may be reversed', 'if (first > last)', 'if (false)'],
    ['a class may be empty', "if (looksAt(cursor, ']')) throw new Refusal('emptyClass', open);", ''],
    [
      'a hyphen may occur anywhere',
      "if (joins(cursor) && cursor.at > start) throw new Refusal('strayHyphen', cursor.at);",
      '',
    ],
    [
      'a hyphen may begin a range',
      "if (isHyphen && joins(cursor)) throw new Refusal('strayHyphen', cursor.at - 1);",
      '',
    ],
    ['a hyphen may end a range', "if (peek(cursor) === '-') throw new Refusal('strayHyphen', cursor.at);", ''],
    ['POSIX classes may be negated', '/\\[:([a-z]+):\\]/y', '/\\[:\\^?([a-z]+):\\]/y'],
    ['[:word:] does not exist', '  word: /[0-9A-Za-z_]/,\n', ''],
    ['collating elements are text', '/^\\[[:.=]/', '/^\\[[:]/'],
    [
      'classes need not be closed',
      "if (peek(cursor) === '') throw new Refusal('unclosedClass', open);",
      "if (peek(cursor) === '') return members;",
    ],
  ]),
  ...mutantsOf('contract/regex/group.ts', [
    ['flags may be repeated', " || on + off === '' || isRepeated", " || on + off === ''"],
    ['flags may be missing', "on + off === '' || ", ''],
    ['U is a flag', '([ism]*)(', '([ismU]*)('],
    ['x is a flag', '([ism]*)(', '([ismx]*)('],
    ['m is not a flag', '([ism]*)(', '([is]*)('],
    ['flags cannot be taken away', '(?:-([ism]+))?', '(?:\\0([ism]+))?'],
    ['a minus may occur alone', '(?:-([ism]+))?', '(?:-([ism]*))?'],
  ]),
];
