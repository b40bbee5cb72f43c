import { exitCodes } from '../../platform/errors.ts';
import { defaultFile } from '../input/source.ts';
import type { AllowResult } from '../policy/allow/result.ts';
import { type AllowOptions, allowRequest } from '../policy/allow/run.ts';
import { allowNotes, allowText } from '../policy/allow/text.ts';
import { command } from '../program/command.ts';

export const definition = command<AllowOptions, AllowResult>({
  description:
    'Proposes the narrowest exception for a request that the policy blocks by mistake: the rules that block it are off for ' +
    'exactly this path, in every form in which the guards in the proxies receive it. Lists what else the exception allows: examples of the ' +
    'built-in rules and requests near the path. With --write it adds the exception to the file, and a case to the cases.yaml beside it.',
  examples: [
    { line: "guardcli allow '/download/.env' --host shop.example.com", note: 'show the exception' },
    { line: 'guardcli allow https://shop.example.com/download/.env --write', note: 'add it to guard.json' },
  ],
  configure: (parser) =>
    parser
      .argument('<target>', 'a URL, or a path with its query')
      .option('--host <name>', 'only for this host (default: that of the URL, otherwise every host)')
      .option('-c, --config <file>', `the policy; - reads standard input (default: ${defaultFile})`)
      .option('--write', 'add the exception to the file'),
  run: allowRequest,
  text: allowText,
  notes: allowNotes,
  exitCode: ({ status }) => (status === 'limit' ? exitCodes.negative : exitCodes.done),
});
