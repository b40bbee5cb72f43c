/** The loop between a running command and its view. The workbench starts Ink itself. */
import { render } from 'ink';
import type { Context } from './context.ts';
import { paintFor } from './paint.ts';
import type { View } from './view.ts';

/** Draws the view until the steps end. Leaves the last step on the screen. Releases the terminal also after an error. */
export async function drawLive<P, R>(
  LiveView: View<P>,
  steps: AsyncGenerator<P, R, void>,
  context: Context,
): Promise<R> {
  const paint = paintFor(context.stdout, context.env);
  const ink = render(<LiveView progress={undefined} paint={paint} />, {
    // Views are drawn only on terminals. Their streams are Node's.
    stdout: context.stdout as NodeJS.WriteStream,
    stderr: context.stderr as NodeJS.WriteStream,
    interactive: true,
    // Ctrl-C aborts `context.signal`. The command then cleans up and ends.
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
