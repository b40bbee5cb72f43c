/** Advice on what to write in place of a pattern that is refused. Only TypeScript shows it. */
import { regexLimits } from './limits.ts';
import { type RefusalName, refusals } from './refusals.ts';

const { regexBytes, regexNesting, regexRepeat, regexSize } = regexLimits;
const countAdvice = `counts and their products are at most ${regexRepeat}; write + or {n,} for more`;

const alternatives: Partial<Readonly<Record<RefusalName, string>>> = {
  tooLong: `expected at most ${regexBytes} bytes; split it into several patterns`,
  tooDeep: `expected at most ${regexNesting} groups in each other; join or remove some`,
  tooLarge: `expected at most ${regexSize} characters with all counts written out; lower the counts, or write + for them`,
  largeQuantifier: countAdvice,
  largeProduct: countAdvice,
  unclosedGroup: 'end it with ), or write a literal ( as \\(',
  unopenedGroup: 'write a literal ) as \\)',
  lookaround: 'match more, and list what must pass in allowPatterns or exceptions',
  namedGroup: 'write (?:...)',
  comment: 'write the comment into the description of a rule',
  verb: 'remove it, or write a literal ( as \\(',
  nothingToRepeat: 'write a literal *, + or ? with a backslash before it',
  repeatedQuantifier: 'remove the second sign, or write a literal one with a backslash before it',
  reversedQuantifier: 'write the lower count first',
  badEscape: 'write the letter without the backslash, or a character by its number, such as \\x41',
  backreference: 'write out the texts that repeat, as in (?:aa|bb), or a character by its number, such as \\x41',
  unicodeClass: 'list the characters, as in [A-Za-z]',
  quoting: 'write a backslash before each special character',
  danglingEscape: 'write a literal backslash as \\\\',
  unclosedClass: 'end it with ], or write a literal [ as \\[',
  reversedRange: 'write the lower character first, as in [a-z]',
};

const alternativeOfReason = new Map(
  Object.entries(alternatives).map(([name, text]) => [refusals[name as RefusalName], text]),
);

/** Returns the advice for a reason of `refusals`, or undefined when the text of the reason contains the advice. */
export const alternativeTo = (reason: string): string | undefined => alternativeOfReason.get(reason as never);
