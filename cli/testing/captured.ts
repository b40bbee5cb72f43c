import { Readable } from 'node:stream';
import { commands } from '../commands/index.ts';
import type { CommandRow } from '../program/command.ts';
import { runCommandLine } from '../program/command-line.ts';
import type { Terminal } from '../program/context.ts';

export interface Captured {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Setting {
  readonly cwd?: string;
  readonly stdin?: string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly env?: Readonly<Record<string, string>>;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly signal?: AbortSignal;
  /** Receives output while the command runs, for commands that run until they are interrupted. */
  readonly onStdout?: (text: string) => void;
  readonly table?: readonly CommandRow[];
  /** Milliseconds since the epoch. Default: 0. */
  readonly now?: number;
  /** The clock. Default: always `now`. */
  readonly clock?: () => number;
}

function recordOutput(
  { isTTY = false, columns = 80 }: Setting,
  onWrite?: (text: string) => void,
): Terminal & { readonly text: () => string } {
  const parts: string[] = [];
  const write = (text: string) => {
    parts.push(text);
    onWrite?.(text);
  };
  return { isTTY, columns, write, text: () => parts.join('') };
}

function chunksOf(
  stdin: string | Uint8Array | AsyncIterable<Uint8Array>,
): Iterable<Uint8Array> | AsyncIterable<Uint8Array> {
  return typeof stdin === 'string' || stdin instanceof Uint8Array ? [Buffer.from(stdin as string)] : stdin;
}

/**
 * Runs a command line and records its output. The working directory defaults to the root folder, which has no
 * guard.json.
 */
export async function runCaptured(argv: readonly string[], setting: Setting = {}): Promise<Captured> {
  const [stdout, stderr] = [recordOutput(setting, setting.onStdout), recordOutput(setting)];
  const {
    stdin = '',
    env = {},
    cwd = '/',
    signal = new AbortController().signal,
    table = commands,
    now = 0,
    clock = () => now,
  } = setting;
  const input = Readable.from(chunksOf(stdin), { objectMode: false });
  const context = { stdin: input, stdout, stderr, env, cwd, signal, now: clock };
  const status = await runCommandLine(argv, context, table);
  return { status, stdout: stdout.text(), stderr: stderr.text() };
}
