/** Literals of the built-in rules, for prefilters. Written down because finding them takes longer than the CLI may start. */
import patterns from '../policy/patterns.json' with { type: 'json' };
import { literalsOf } from '../regex/literals.ts';

/** JSON: by id of a rule the literals of which every text it matches, in lower case, holds one; a line for each rule. */
export function builtInLiterals(): string {
  const lines = patterns.map((rule) => `  ${JSON.stringify(rule.id)}: ${JSON.stringify(literalsOf(rule.pattern))}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}
