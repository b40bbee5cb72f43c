/**
 * The reaper cleans up when this program is killed. A running container then ends by itself. A network stays, and so does
 * a container that was created but not started. The reaper is a second program that waits for the end of this one. It then
 * removes all items with the label of the session, unless it was dismissed.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../../platform/assets.ts';

/** The message that dismisses the reaper. */
export const allClear = 'clear';

const isSource = import.meta.filename.endsWith('.ts');
const program = join(packageRoot, isSource ? 'cli/sandbox/session/reaper-main.ts' : 'dist/bin/reaper.js');

export interface Reaper {
  readonly dismiss: () => void;
}

export function postReaper(session: string, env: Readonly<Record<string, string | undefined>>): Reaper {
  // A separate process group: Ctrl-C in the terminal reaches only this program, which then dismisses the reaper.
  const child = spawn(process.execPath, [program, session], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env,
  });
  child.on('error', () => {}); // a sandbox works without a reaper; only a kill then leaves items
  child.stdin.on('error', () => {});
  child.unref();
  (child.stdin as unknown as { unref: () => void }).unref();
  return { dismiss: () => child.stdin.end(allClear) };
}
