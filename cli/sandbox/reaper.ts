/**
 * Someone who stays behind for the worst case. A running container ends by itself when this program is killed; one that was
 * created and not yet started does not, nor does a network. So a second, idle program waits for us to end and removes
 * what carries the label of our session, unless we say that we have done so.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';

/** What the reaper hears when there is nothing to do. */
export const allClear = 'clear';

const isSource = import.meta.filename.endsWith('.ts');
const program = join(packageRoot, isSource ? 'cli/sandbox/reaper-main.ts' : 'dist/cli/sandbox/reaper-main.js');

export interface Reaper {
  readonly dismiss: () => void;
}

export function postReaper(session: string, env: Readonly<Record<string, string | undefined>>): Reaper {
  // A group of its own: Ctrl-C in the terminal is for us, and we then dismiss it.
  const child = spawn(process.execPath, [program, session], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env,
  });
  child.on('error', () => {}); // without a reaper all but the worst case is still covered
  child.stdin.on('error', () => {});
  child.unref();
  (child.stdin as unknown as { unref: () => void }).unref();
  return { dismiss: () => child.stdin.end(allClear) };
}
