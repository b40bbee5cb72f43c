/** Runs the Go tests of a module. */
import { command } from '../../platform/command.ts';
import type { Counts, TaskContext } from '../graph/task.ts';
import { tally } from './go-events.ts';

/** Counts of the tests; the log gets the output of those that failed. */
export async function runGoTests(
  { signal, log }: TaskContext,
  cwd: string,
  env: Record<string, string>,
): Promise<Counts> {
  let stream = '';
  const onText = (text: string): void => {
    stream += text;
  };
  // A failing test ends `go` with 1: what failed is in the stream.
  const failure = await command('go', ['test', '-json', './...'], { cwd, env, signal, onText }).catch((error) => error);
  signal.throwIfAborted();
  const { counts, output } = tally(stream.split('\n'));
  log(output);
  if (failure instanceof Error && counts.failed === 0) throw failure;
  return counts;
}
