/**
 * Generates the literals of the built-in rules, for prefilters. They are generated because finding them takes longer
 * than a start of the CLI may take.
 */
import { builtInRules } from '../policy/builtin-rules.ts';
import { parseRegex } from '../regex/grammar.ts';
import { requiredLiterals } from '../regex/literals.ts';

function literalsOf({ id, pattern }: { id: string; pattern: string }): readonly string[] {
  const result = parseRegex(pattern);
  if (!result.ok) throw new Error(`the pattern of ${id} is not in the grammar: ${result.reason}`);
  return requiredLiterals(result.tree);
}

/**
 * Returns JSON with one line for each rule: its id, and the lower-case literals. Every text that the rule matches
 * contains one of them.
 */
export function builtInLiterals(): string {
  const lines = builtInRules.map((rule) => `  ${JSON.stringify(rule.id)}: ${JSON.stringify(literalsOf(rule))}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}
