/** `guardcli ui` */
import { UsageError } from '../../platform/errors.ts';
import { defaultFile } from '../input/source.ts';
import { command } from '../program/command.ts';
import { hasColor } from '../program/paint.ts';
import { isInteractive } from '../program/terminal.ts';
import type { WorkbenchOptions } from '../workbench/open.tsx';

interface Ended {
  readonly ended: true;
}

export const uiCommand = command<WorkbenchOptions, Ended>({
  description:
    'Opens the workbench: type a request and watch candidates, rule and verdict change with every key, edit the ' +
    'policy in your editor while its errors are shown here, run sandboxes, and watch tcp-guard. GUARD_API_TOKEN is the ' +
    'token of its API.\n\n' +
    'guardcli without arguments opens it too. It needs a terminal of at least 60 columns and 17 lines.',
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
    if (!isInteractive(context)) {
      const hint = 'run it in a terminal, or use guardcli test, validate and sandbox';
      throw new UsageError('the workbench needs a terminal', { code: 'no_terminal', hint });
    }
    // Ink reads FORCE_COLOR once, when it is imported.
    if (!hasColor(context.stdout, context.env)) process.env.FORCE_COLOR = '0';
    const { openWorkbench } = await import('../workbench/open.tsx');
    await openWorkbench(options, context);
    return { ended: true };
  },
  text: () => '',
});
