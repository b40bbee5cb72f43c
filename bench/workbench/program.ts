/** The workbench in a terminal of `script` (util-linux), which copies bytes between pipes and the terminal. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';

const cli = join(packageRoot, 'dist/bin/guardcli.js');

/** Ends each frame: the end of a synchronized update. */
const frameEnd = '\x1b[?2026l';

export interface Program {
  readonly pid: number;
  /** From the start of the process to the first frame. */
  readonly startMs: number;
  /** Sends keys and returns the time until the end of the next frame. */
  readonly press: (keys: string) => Promise<number>;
  /** Resolves at a text in what the program writes. */
  readonly writes: (text: string) => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Who waits for a text in what the program writes from now on. */
function follow({ stdout }: ChildProcess): Program['writes'] {
  const waiting = new Set<(chunk: string) => void>();
  stdout?.setEncoding('latin1').on('data', (chunk: string) => {
    for (const take of waiting) take(chunk);
  });
  return (text) =>
    new Promise((resolve) => {
      let output = '';
      const take = (chunk: string): void => {
        output = (output + chunk).slice(-65_536);
        if (!output.includes(text)) return;
        waiting.delete(take);
        resolve();
      };
      waiting.add(take);
    });
}

export async function openWorkbench(folder: string, args: string, size: string): Promise<Program> {
  const started = performance.now();
  const line = `stty ${size}; unset CI; exec '${process.execPath}' '${cli}' ui ${args}`;
  const child = spawn('script', ['-qefc', line, '/dev/null'], { cwd: folder, env: { ...process.env, TERM: 'xterm' } });
  const exited = once(child, 'exit');
  const writes = follow(child);
  await writes(frameEnd);
  const startMs = performance.now() - started;
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  return {
    pid: Number(children.trim().split(' ').at(-1)),
    startMs,
    press: async (keys) => {
      const drawn = writes(frameEnd);
      const pressed = performance.now();
      child.stdin?.write(keys);
      await drawn;
      return performance.now() - pressed;
    },
    writes,
    end: async () => {
      child.stdin?.write('\x03');
      await exited;
    },
  };
}
