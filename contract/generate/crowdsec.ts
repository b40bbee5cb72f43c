/** Generates the expression with which CrowdSec's parser assigns a kind of attack to each rule and reason. */
import { builtInRules } from '../policy/builtin-rules.ts';
import { exploitRules } from '../policy/exploits.ts';
import { type BlockedReason, blockedReasons } from '../policy/reasons.ts';

/** For each category of rules, the kind of attack that CrowdSec's scenarios count. */
const kindOfCategory: Readonly<Record<string, string>> = {
  traversal: 'traversal',
  encoding: 'traversal',
  os: 'traversal',
  env: 'sensitive_file',
  hidden: 'sensitive_file',
  vcs: 'sensitive_file',
  cloud: 'sensitive_file',
  keys: 'sensitive_file',
  dump: 'sensitive_file',
  backup: 'sensitive_file',
  config: 'sensitive_file',
  log: 'sensitive_file',
  develop: 'sensitive_file',
  admin: 'exploit',
  exploit: 'exploit',
  injection: 'exploit',
};

const reasonOfRules: BlockedReason = 'block_pattern_match';

function idsByKind(): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { id, action, category } of [...builtInRules, ...exploitRules]) {
    if (action !== 'block') continue;
    const kind = kindOfCategory[category];
    if (kind === undefined) throw new Error(`give the category "${category}" of the rule ${id} a kind`);
    ids.set(kind, [...(ids.get(kind) ?? []), id]);
  }
  return ids;
}

const listLiteral = (values: readonly string[]): string => `[${values.map((value) => `'${value}'`).join(', ')}]`;

function kindExpression(): string[] {
  const limits = blockedReasons.filter((reason) => reason !== reasonOfRules);
  return [
    `evt.Meta.guard_reason in ${listLiteral(limits)} ? 'limit'`,
    `: evt.Meta.guard_reason != '${reasonOfRules}' ? ''`,
    ...Array.from(idsByKind(), ([kind, ids]) => `: evt.Meta.guard_rule in ${listLiteral(ids)} ? '${kind}'`),
    ": 'custom_rule'",
  ];
}

const generatedBlock = /( *)# generated: kinds\n[\s\S]*?# end\n/;

export function crowdsecParser(current: string): string {
  if (!generatedBlock.test(current)) throw new Error('the parser has no markers for the generated kinds');
  return current.replace(generatedBlock, (_, indent: string) =>
    ['# generated: kinds', 'expression: >-', ...kindExpression().map((line) => `  ${line}`), '# end', '']
      .map((line) => (line === '' ? line : indent + line))
      .join('\n'),
  );
}
