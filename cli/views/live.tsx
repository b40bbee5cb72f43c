/** The loop between a running command and its view: the only place that starts and ends Ink. */
import { render } from 'ink';
import type { View } from '../program/command.ts';
import type { Context } from '../program/context.ts';
import { paintFor } from '../program/paint.ts';

/** Draws each step; the last one stays. Returns the result, or throws what the run throws, when the terminal is left. */
export async function drawLive<P, R>(
  LiveView: View<P>,
  steps: AsyncGenerator<P, R, void>,
  context: Context,
): Promise<R> {
  const paint = paintFor(context.stdout, context.env);
  const ink = render(<LiveView progress={undefined} paint={paint} />, {
    // Views are drawn on terminals alone, and those are Node's own streams.
    stdout: context.stdout as NodeJS.WriteStream,
    stderr: context.stderr as NodeJS.WriteStream,
    interactive: true,
    // Ctrl-C aborts `context.signal`; the command then ends by itself and cleans up.
    exitOnCtrlC: false,
  });
  try {
    let step = await steps.next();
    for (; !step.done; step = await steps.next()) ink.rerender(<LiveView progress={step.value} paint={paint} />);
    return step.value;
  } finally {
    await ink.waitUntilRenderFlush();
    ink.unmount();
    await ink.waitUntilExit();
  }
}
