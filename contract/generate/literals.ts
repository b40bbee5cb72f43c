/** Generates the literals for prefilters. Finding them at each start of the CLI would be too slow. */
import { builtInRules } from '../policy/builtin-rules.ts';
import { exploitRules } from '../policy/exploits.ts';
import { parseRegex } from '../regex/grammar.ts';
import { requiredLiterals } from '../regex/literals.ts';

/** Returns the literals of a rule. @throws when its pattern is not in the grammar */
export function requiredLiteralsOf({ id, pattern }: { id: string; pattern: string }): readonly string[] {
  const result = parseRegex(pattern);
  if (!result.ok) throw new Error(`the pattern of ${id} is not in the grammar: ${result.reason}`);
  return requiredLiterals(result.tree);
}

/** Returns the lower-case literals of each rule. Each text that a rule matches contains one of its literals. */
export function builtInLiterals(): string {
  const lists = [
    ...builtInRules.map((rule) => [rule.id, requiredLiteralsOf(rule)]),
    ...exploitRules().map(({ id, literals }) => [id, literals]),
  ];
  const lines = lists.map(([id, literals]) => `  ${JSON.stringify(id)}: ${JSON.stringify(literals)}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

/**
 * Returns `contract/generated/engine-rules.json`: what engines read of the built-in rules. Reasons and examples would
 * double the text that each start reads and parses.
 */
export function engineRuleRows(): string {
  const rows = builtInRules.map(({ id, action, category, targets, size, pattern }) =>
    JSON.stringify({ id, action, category, targets, size, pattern, literals: requiredLiteralsOf({ id, pattern }) }),
  );
  return `[\n  ${rows.join(',\n  ')}\n]\n`;
}
