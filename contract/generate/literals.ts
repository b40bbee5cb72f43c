/** Generates literals for prefilters, because finding them is too slow for a start of the CLI. */
import { builtInRules } from '../policy/builtin-rules.ts';
import { parseRegex } from '../regex/grammar.ts';
import { requiredLiterals } from '../regex/literals.ts';

function literalsOf({ id, pattern }: { id: string; pattern: string }): readonly string[] {
  const result = parseRegex(pattern);
  if (!result.ok) throw new Error(`the pattern of ${id} is not in the grammar: ${result.reason}`);
  return requiredLiterals(result.tree);
}

/** Each text that a rule matches contains one of its lower-case literals. */
export function builtInLiterals(): string {
  const lines = builtInRules.map((rule) => `  ${JSON.stringify(rule.id)}: ${JSON.stringify(literalsOf(rule))}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}
