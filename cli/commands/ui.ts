import { UsageError } from '../../platform/errors.ts';
import { defaultFile, stdinName } from '../input/source.ts';
import { command } from '../program/command.ts';
import { openUi } from '../workbench/load.ts';
import type { WorkbenchOptions } from '../workbench/open.tsx';

interface Ended {
  readonly ended: true;
}

export const definition = command<WorkbenchOptions, Ended>({
  description:
    'Opens the workbench: type a request and watch candidates, rule and verdict change with every key, edit the ' +
    'policy in your editor while its errors are shown here, run sandboxes, and watch tcp-guard. GUARD_API_TOKEN is the ' +
    'token of its API.\n\n' +
    'guardcli without arguments opens it too. It needs a terminal of at least 60 columns and 15 lines.',
  examples: [
    { line: 'guardcli ui', note: 'with guard.json, or the defaults if there is none' },
    { line: 'guardcli ui -c guard.json', note: 'with this policy' },
    { line: 'guardcli ui --daemon unix:///run/guard/api.sock', note: 'with the tcp-guard at this socket' },
  ],
  configure: (parser) =>
    parser
      .option('-c, --config <file>', `the policy (default: ${defaultFile} if there is one)`)
      .option('--daemon <address>', 'the management API of tcp-guard (default: http://127.0.0.1:9091)'),
  run: async (options, context) => {
    if (options.config === stdinName) {
      const hint = 'pass a file: standard input is the keyboard of the workbench';
      throw new UsageError('the workbench cannot read its policy from standard input', { code: 'conflict', hint });
    }
    await openUi(options, context);
    return { ended: true };
  },
  text: () => '',
});
