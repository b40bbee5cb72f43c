/** Generates the literals for prefilters. Finding them at each start of the CLI would be too slow. */
import { builtInRules } from '../policy/builtin-rules.ts';
import { exploitRules } from '../policy/exploits.ts';
import { parseRegex } from '../regex/grammar.ts';
import { requiredLiterals } from '../regex/literals.ts';

function literalsOf({ id, pattern }: { id: string; pattern: string }): readonly string[] {
  const result = parseRegex(pattern);
  if (!result.ok) throw new Error(`the pattern of ${id} is not in the grammar: ${result.reason}`);
  return requiredLiterals(result.tree);
}

/** Returns the lower-case literals of each rule. Each text that a rule matches contains one of its literals. */
export function builtInLiterals(): string {
  const rules = [...builtInRules, ...exploitRules()];
  const lines = rules.map((rule) => `  ${JSON.stringify(rule.id)}: ${JSON.stringify(literalsOf(rule))}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}
