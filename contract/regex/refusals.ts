/** The reasons for which a pattern is refused. Every language that checks patterns has the same texts. */
export const refusals = {
  notPrintable: 'only printable ASCII characters are allowed; write other bytes as candidates spell them, %C3%A9',
  tooLong: 'the pattern is too long',
  tooDeep: 'groups are nested too deeply',
  tooLarge: 'the pattern expands to too many characters',
  unclosedGroup: 'the group is not closed',
  unopenedGroup: 'there is no group to close',
  badGroup: 'this kind of group is not allowed; (?:...), (...) and the flags i, s and m are',
  lookaround: 'lookaround is not allowed',
  namedGroup: 'named groups are not allowed',
  comment: 'comments are not allowed',
  verb: 'verbs are not allowed',
  nothingToRepeat: 'there is nothing to repeat here',
  repeatedQuantifier: 'a quantifier cannot be repeated, and possessive quantifiers are not allowed',
  badQuantifier: 'expected {n}, {n,} or {n,m}; a literal { is written \\{',
  reversedQuantifier: 'the counts are in the wrong order',
  largeQuantifier: 'the count is too large',
  largeProduct: 'the product of nested counts is too large',
  badEscape: 'this escape is not allowed',
  badHex: 'expected \\x and two hexadecimal digits from 20 to 7E',
  backreference: 'backreferences and octal escapes are not allowed',
  unicodeClass: 'Unicode classes are not allowed',
  quoting: '\\Q and \\E are not allowed',
  danglingEscape: 'the pattern ends in a backslash',
  unclosedClass: 'the character class is not closed',
  emptyClass: 'a character class needs a member; a literal ] is written \\]',
  badPosixClass: 'expected a POSIX class such as [:alpha:]; a literal [ is written \\[',
  strayHyphen: 'a literal - must be first or last in a character class, or be written \\-',
  classInRange: 'a range goes from one character to another',
  reversedRange: 'the range is in the wrong order',
} as const;

export type RefusalName = keyof typeof refusals;

/** The reason for which only nginx refuses a pattern of the grammar. */
export const ambiguityReason =
  'a text can be split into repetitions of this group in several ways, on which nginx could spend minutes';
