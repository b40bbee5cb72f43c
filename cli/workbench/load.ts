/** Opens the workbench, whose code is only imported on a terminal. */
import { setFlagsFromString } from 'node:v8';
import { UsageError } from '../../platform/errors.ts';
import type { Context } from '../program/context.ts';
import { isInteractive } from '../program/terminal.ts';
import type { WatchedLoki, WorkbenchOptions } from './open.tsx';

/** @throws UsageError without a terminal */
export async function openUi(options: WorkbenchOptions, context: Context, watched?: WatchedLoki): Promise<void> {
  if (!isInteractive(context)) {
    const hint = 'run it in a terminal, or use guardcli test, validate and sandbox';
    throw new UsageError('the workbench needs a terminal', { code: 'no_terminal', hint });
  }
  // Ink reads FORCE_COLOR once, when it is imported. Without it, inverse text would depend on the name of the terminal.
  process.env.FORCE_COLOR = '1';
  const { openWorkbench } = await import('./open.tsx');
  delete process.env.FORCE_COLOR;
  // V8 would let the young generation grow to 32 MB. The limits come after the imports, which need more memory than a
  // session.
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=20');
  await openWorkbench(options, context, watched);
}
