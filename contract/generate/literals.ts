/** Literals of the built-in rules, for prefilters. Written down because finding them takes longer than the CLI may start. */
import { builtInRules } from '../policy/builtin-rules.ts';
import { parseRegex } from '../regex/grammar.ts';
import { requiredLiterals } from '../regex/literals.ts';

function literalsOf({ id, pattern }: { id: string; pattern: string }): readonly string[] {
  const result = parseRegex(pattern);
  if (!result.ok) throw new Error(`the pattern of ${id} is not in the grammar: ${result.reason}`);
  return requiredLiterals(result.tree);
}

/** JSON: by id of a rule the literals of which every text it matches, in lower case, holds one; a line for each rule. */
export function builtInLiterals(): string {
  const lines = builtInRules.map((rule) => `  ${JSON.stringify(rule.id)}: ${JSON.stringify(literalsOf(rule))}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}
