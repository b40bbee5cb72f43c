/**
 * The reaper cleans up when this program is killed. A running container then ends by itself, but a container that was
 * created and not started does not, nor does a network. The reaper is an idle second program that waits for our end and
 * removes all items with the label of our session, unless we dismiss it.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../../platform/assets.ts';

/** The message that dismisses the reaper. */
export const allClear = 'clear';

const isSource = import.meta.filename.endsWith('.ts');
const program = join(
  packageRoot,
  isSource ? 'cli/sandbox/session/reaper-main.ts' : 'dist/cli/sandbox/session/reaper-main.js',
);

export interface Reaper {
  readonly dismiss: () => void;
}

export function postReaper(session: string, env: Readonly<Record<string, string | undefined>>): Reaper {
  // Its own process group: Ctrl-C in the terminal reaches only us, and we then dismiss the reaper.
  const child = spawn(process.execPath, [program, session], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env,
  });
  child.on('error', () => {}); // without a reaper only a kill leaves items behind
  child.stdin.on('error', () => {});
  child.unref();
  (child.stdin as unknown as { unref: () => void }).unref();
  return { dismiss: () => child.stdin.end(allClear) };
}
