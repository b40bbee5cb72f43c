/** `guardcli explain <rule>` */
import { builtInIds } from '../../contract/policy/rule-ids.ts';
import { policyFor } from '../evaluate/policy.ts';
import { defaultFile } from '../input/source.ts';
import { type Explanation, explain } from '../policy/explain/explain.ts';
import { explainText } from '../policy/explain/text.ts';
import { command } from '../program/command.ts';

interface Options {
  readonly rule: string;
  readonly config?: string;
}

export const explainCommand = command<Options, Explanation>({
  description:
    'Shows what a rule is for, its pattern, texts that it matches and texts that it barely does not match, whether the ' +
    'policy uses it, and how to switch it off.',
  examples: [
    { line: 'guardcli explain env-file', note: 'a built-in rule; verdicts and events name it' },
    { line: "guardcli explain 'block[0]' -c guard.json", note: 'the first entry of blockPatterns' },
  ],
  configure: (parser) =>
    parser
      .addArgument(
        // The choices are only for completion, because a policy can have further rules.
        parser
          .createArgument('<rule>', 'id of the rule')
          .choices([...builtInIds.keys()])
          .argParser((id) => id),
      )
      .option('-c, --config <file>', `the policy; - reads standard input (default: ${defaultFile} if there is one)`),
  run: async ({ rule, config }, context) => {
    const { policy, name } = await policyFor({ ...(config !== undefined && { config }) }, context);
    return explain(rule, policy, name);
  },
  text: explainText,
});
