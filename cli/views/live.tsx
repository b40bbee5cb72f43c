/** The loop between a running command and its view: the only place that starts and ends Ink. */
import { render } from 'ink';
import type { View } from '../program/command.ts';
import type { Context } from '../program/context.ts';
import { paintFor } from '../program/paint.ts';

/** Draws each step, and the result as the last frame, which stays. What the run throws, this throws. */
export async function drawLive<P, R>(
  LiveView: View<P, R>,
  steps: AsyncGenerator<P, R, void>,
  context: Context,
): Promise<R> {
  let progress: P | undefined;
  const paint = paintFor(context.stdout, context.env);
  const ink = render(<LiveView progress={undefined} result={undefined} paint={paint} />, {
    // Views are drawn on terminals alone, and those are Node's own streams.
    stdout: context.stdout as NodeJS.WriteStream,
    stderr: context.stderr as NodeJS.WriteStream,
    interactive: true,
    // Ctrl-C aborts `context.signal`; the command then ends by itself and cleans up.
    exitOnCtrlC: false,
  });
  try {
    let step = await steps.next();
    for (; !step.done; step = await steps.next()) {
      progress = step.value;
      ink.rerender(<LiveView progress={progress} result={undefined} paint={paint} />);
    }
    ink.rerender(<LiveView progress={progress} result={step.value} paint={paint} />);
    await ink.waitUntilRenderFlush();
    return step.value;
  } finally {
    ink.unmount();
    await ink.waitUntilExit();
  }
}
