/** Runs another program to its end: bounded memory, whole process group ended on abort, failure as ExternalError. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stripVTControlCharacters } from 'node:util';
import { ExternalError } from './errors.ts';

/** Bytes of output kept for an error message or a result: enough for a compiler's last words, small beside a log. */
const keptBytes = 64 * 1024;
const tailLines = 20;
/** What a program gets to end by itself before it is killed. */
const graceMs = 3000;
/** As `nice -n` has them: below everything a person waits for, and below that too. */
const priorities = { background: 10, last: 19 } as const;

export interface CommandOptions {
  readonly cwd?: string;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
  /** Both streams as they come, for a log or for progress. */
  readonly onText?: ((text: string) => void) | undefined;
  readonly input?: Readable;
  /** Takes standard output as bytes; without it the text is returned. */
  readonly output?: Writable;
  /** Runs at low priority; `last`: with what others in the background leave. */
  readonly background?: boolean | 'last';
}

/** The last lines of a text, without terminal controls. */
export function lastLines(text: string, count = tailLines): string {
  return stripVTControlCharacters(text)
    .trimEnd()
    .split(/[\r\n]+/)
    .slice(-count)
    .join('\n');
}

function endGroup(child: ChildProcess): void {
  const end = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // Nobody of the group is left.
    }
  };
  end('SIGTERM');
  setTimeout(end, graceMs, 'SIGKILL').unref();
}

function keep(stream: Readable, onText?: (text: string) => void): () => string {
  let kept = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    onText?.(text);
    kept = (kept + text).slice(-keptBytes);
  });
  return () => kept;
}

function start(tool: string, args: readonly string[], options: CommandOptions): ChildProcess {
  // A group of its own: compilers started by npm or make end with it.
  const child = spawn(tool, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: [options.input ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const { background } = options;
  if (background && child.pid !== undefined)
    setPriority(child.pid, priorities[background === true ? 'background' : background]);
  return child;
}

async function ended(child: ChildProcess): Promise<string | undefined> {
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.once('error', reject).once('close', (...result) => resolve(result));
  });
  if (code === 0) return undefined;
  return signal ? `was ended by ${signal}` : `ended with status ${code}`;
}

function failure(tool: string, args: readonly string[], said: string, how: string, cause?: unknown): ExternalError {
  const output = lastLines(said);
  return new ExternalError(`${basename(tool)} ${args[0] ?? ''} ${how}`.replace(/ +/g, ' '), {
    code: 'command_failed',
    failed: { tool, args, output },
    cause,
  });
}

/** Standard output of the program (its last 64 KiB); throws ExternalError unless it ends with 0. */
export async function command(tool: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  options.signal?.throwIfAborted();
  const child = start(tool, args, options);
  const onAbort = (): void => endGroup(child);
  options.signal?.addEventListener('abort', onAbort, { once: true });
  const said = keep(child.stderr as Readable, options.onText);
  const printed = options.output ? undefined : keep(child.stdout as Readable, options.onText);
  try {
    const [how] = await Promise.all([
      ended(child),
      options.output && pipeline(child.stdout as Readable, options.output),
      // A program that stops reading says why by its status.
      options.input && pipeline(options.input, child.stdin as Writable).catch(() => undefined),
    ]);
    options.signal?.throwIfAborted();
    if (how !== undefined) throw failure(tool, args, `${printed?.() ?? ''}\n${said()}`, how);
    return printed?.() ?? '';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw failure(tool, args, '', 'cannot be started: it is not on this machine', error);
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
  }
}
