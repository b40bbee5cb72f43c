/**
 * The reaper removes the items of a session when this program is killed. It is a second program, which waits for the
 * end of this one.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../../platform/assets.ts';

/** Text on standard input that dismisses the reaper. */
export const dismissMessage = 'clear';

const isSource = import.meta.filename.endsWith('.ts');
const program = join(packageRoot, isSource ? 'cli/sandbox/session/reaper-main.ts' : 'dist/bin/reaper.js');

export interface Reaper {
  readonly dismiss: () => void;
}

export function postReaper(session: string, env: Readonly<Record<string, string | undefined>>): Reaper {
  // Ctrl-C in the terminal does not reach a separate process group.
  const child = spawn(process.execPath, [program, session], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env,
  });
  child.on('error', () => {}); // a sandbox works without a reaper; only a kill then leaves items
  child.stdin.on('error', () => {});
  child.unref();
  (child.stdin as unknown as { unref: () => void }).unref();
  return { dismiss: () => child.stdin.end(dismissMessage) };
}
