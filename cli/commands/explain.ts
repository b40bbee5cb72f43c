import { builtInActions } from '../../contract/policy/rule-ids.ts';
import { UsageError } from '../../platform/errors.ts';
import { policyFor } from '../evaluate/policy.ts';
import { defaultFile } from '../input/source.ts';
import { type Explanation, explainRule, unknownRule } from '../policy/explain/explain.ts';
import { listExploits, listRules, type RuleList, searchRules } from '../policy/explain/search.ts';
import { explainText, listText } from '../policy/explain/text.ts';
import { command } from '../program/command.ts';

interface Options {
  readonly rule?: string;
  readonly config?: string;
  readonly exploits?: boolean;
  readonly since?: string;
}

export const definition = command<Options, Explanation | RuleList>({
  description:
    'Shows what a rule is for, its pattern, texts that it matches and texts that it barely does not match, whether the ' +
    'policy uses it, and how to switch it off.\n\n' +
    'Without a rule it lists all of them. A word that is not an id lists the rules that are about it: it is looked for ' +
    'in ids, categories, reasons, examples, and in the products whose files a rule matches.',
  examples: [
    { line: 'guardcli explain env-file', note: 'a built-in rule; verdicts and events name it' },
    { line: 'guardcli explain wordpress', note: 'the rules that are about a word' },
    { line: 'guardcli explain --exploits --since 2025-06', note: 'exploits that are known since a month' },
    { line: "guardcli explain 'block[0]' -c guard.json", note: 'the first entry of blockPatterns' },
  ],
  configure: (parser) =>
    parser
      .addArgument(
        // The choices are only for completion, because a policy can have further rules.
        parser
          .createArgument('[rule]', 'id of the rule, or a word (default: list all rules)')
          .choices([...builtInActions().keys()])
          .argParser((id) => id),
      )
      .option('--exploits', 'list the rules of the key exploits, newest first')
      .option('--since <date>', 'with --exploits: those in the catalogue of known exploited vulnerabilities since then')
      .option('-c, --config <file>', `the policy; - reads standard input (default: ${defaultFile} if there is one)`),
  run: async ({ rule, config, exploits, since }, context) => {
    if (since !== undefined && (!exploits || !/^\d{4}(?:-\d{2}){0,2}$/.test(since)))
      throw new UsageError('--since needs --exploits and a date such as 2025, 2025-06 or 2025-06-30', {
        code: 'bad_date',
      });
    const { policy, name } = await policyFor({ ...(config !== undefined && { config }) }, context);
    if (exploits) return listExploits(since, policy, name);
    if (rule === undefined) return listRules(policy, name);
    const explanation = explainRule(rule, policy, name);
    if (explanation) return explanation;
    const found = searchRules(rule, policy, name);
    if (found.rules.length === 0) throw unknownRule(rule, policy);
    return found;
  },
  text: (result, paint) => ('rules' in result ? listText(result, paint) : explainText(result, paint)),
  notes: (result) => ('rules' in result ? 'guardcli explain <id> shows one of them' : ''),
});
