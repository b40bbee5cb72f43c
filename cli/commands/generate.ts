/** `guardcli generate <target> [file]` */
import type { Problem } from '../../contract/load/problem.ts';
import { targetNamed, targetNames, targets } from '../generate/index.ts';
import type { GenerateTarget } from '../generate/target.ts';
import { readPolicy } from '../input/policy.ts';
import { defaultFile } from '../input/source.ts';
import { command } from '../program/command.ts';
import { warningsText } from '../program/report.ts';

interface Options {
  readonly target: string;
  readonly file?: string;
}

export interface GenerateResult {
  /** Name of the target, whatever alias was given. */
  readonly target: string;
  /** Where the policy came from. */
  readonly file: string;
  readonly text: string;
  readonly warnings: readonly Problem[];
}

const targetList = targets
  .map(({ name, aliases, summary }) => `  ${name} (${aliases.join(', ')}): ${summary}`)
  .join('\n');

export const generateCommand = command<Options, GenerateResult>({
  description: `Targets, with their aliases:\n${targetList}\n\nKeys that have their default value are left out. Warnings go to standard error.`,
  examples: [
    { line: 'guardcli generate caddy guard.json > guard.caddy', note: 'a block to import into a Caddyfile' },
    { line: 'guardcli generate proxyb - < guard.json', note: 'the policy from standard input' },
  ],
  configure: (parser) =>
    parser
      .addArgument(parser.createArgument('<target>', 'what to generate').choices([...targetNames]))
      .argument('[file]', `the policy; - reads standard input (default: ${defaultFile})`),
  async run({ target: name, file = defaultFile }, context) {
    const target = targetNamed(name) as GenerateTarget;
    const [generate, loaded] = await Promise.all([target.load(), readPolicy(file, context)]);
    return { target: target.name, file: loaded.name, text: generate(loaded.policy).text, warnings: loaded.warnings };
  },
  text: ({ text }) => text.trimEnd(),
  notes: ({ file, warnings }, paint) => warningsText(file, warnings, paint),
});
