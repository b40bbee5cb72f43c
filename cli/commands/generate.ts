import type { Problem } from '../../contract/load/problem.ts';
import { readable } from '../../platform/escape.ts';
import { withNewerNetworks } from '../generate/networks.ts';
import { readPolicy } from '../input/policy.ts';
import { defaultFile } from '../input/source.ts';
import { command } from '../program/command.ts';
import { warningsText } from '../program/report.ts';
import { type FoundForm, formNames, withFormNames } from '../targets/find.ts';
import { targets } from '../targets/table.ts';

interface Options {
  readonly target: FoundForm;
  readonly file?: string;
}

export interface GenerateResult {
  /** Name of the target, even when the user typed an alias. */
  readonly target: string;
  readonly file: string;
  readonly text: string;
  readonly warnings: readonly Problem[];
  /** Limits of the target for this policy. Each is a clause that starts with its key. */
  readonly limits: readonly string[];
}

const targetList = targets
  .flatMap((target) =>
    target.forms.map((form) => {
      const [name, ...others] = formNames(target, form);
      return `  ${name} (${others.join(', ')})\n      ${form.summary}`;
    }),
  )
  .join('\n');

export const definition = command<Options, GenerateResult>({
  description: `Targets, with their other names:\n${targetList}\n\nKeys with their default value are omitted. Warnings and limits of the target go to standard error.`,
  examples: [
    { line: 'guardcli generate caddy guard.json > guard.caddy', note: 'a block to import in a Caddyfile' },
    { line: 'guardcli generate proxyb - < guard.json', note: 'the policy from standard input' },
  ],
  configure: (parser) =>
    parser
      .addArgument(withFormNames(parser.createArgument('<target>', 'what to generate')))
      .argument('[file]', `the policy; - reads standard input (default: ${defaultFile})`),
  async run({ target: { target, form }, file = defaultFile }, context) {
    const [generate, { limitsOf }, { name, policy, warnings }] = await Promise.all([
      form.load(),
      import('../targets/limits.ts'),
      readPolicy(file, context),
    ]);
    const text = generate(withNewerNetworks(policy));
    return { target: form.name, file: name, text, warnings, limits: limitsOf(target.name, policy) };
  },
  text: ({ text }) => text.trimEnd(),
  notes: ({ file, warnings, limits }, paint) => {
    const notes = limits.map((limit) => `${paint('yellow', 'note:')} ${readable(limit)}`);
    return [warningsText(file, warnings, paint), ...notes].filter((text) => text !== '').join('\n');
  },
});
