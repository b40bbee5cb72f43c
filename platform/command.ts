/** Runs a program with bounded memory for its output. An abort ends its whole process group. */
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stripVTControlCharacters } from 'node:util';
import { ExternalError } from './errors.ts';

/**
 * Characters at the end of a stream that are kept for results and error messages. The last messages of a compiler fit.
 */
const keptBytes = 64 * 1024;
const tailLines = 20;
/** Milliseconds between the signal that asks a program to end and the kill. */
const graceMs = 3000;
/** Nice values: `background` is below everything that a user waits for, `last` below all other background work. */
const priorities = { background: 10, last: 19 } as const;

export type OutputStream = 'stdout' | 'stderr';

export interface CommandOptions {
  readonly cwd?: string;
  /** Variables added to the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
  /** Receives standard error and, without `output`, standard output while the program runs. */
  readonly onText?: ((text: string, stream: OutputStream) => void) | undefined;
  readonly input?: Readable;
  /** Receives standard output as bytes. Without it, `command` returns the output as text. */
  readonly output?: Writable;
  /** Runs at low priority. `last`: at the lowest priority. */
  readonly background?: boolean | 'last';
}

/** Returns the last lines of a text, without terminal controls. */
export function lastLines(text: string, count = tailLines): string {
  return stripVTControlCharacters(text)
    .trimEnd()
    .split(/[\r\n]+/)
    .slice(-count)
    .join('\n');
}

/** Ends the whole process group of a program, because npm and make start compilers that must end too. */
function endGroup(group: number): void {
  const end = (signal: NodeJS.Signals): void => {
    try {
      process.kill(-group, signal);
    } catch {
      // The group has ended.
    }
  };
  end('SIGTERM');
  setTimeout(end, graceMs, 'SIGKILL').unref();
}

function keepOutput(stream: Readable, name: OutputStream, onText: CommandOptions['onText']): () => string {
  let kept = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    onText?.(text, name);
    kept = (kept + text).slice(-keptBytes);
  });
  return () => kept;
}

/** Starts the program. Loads execa only now, and wraps the result, because a process of execa is itself awaitable. */
async function startProgram(tool: string, args: readonly string[], { cwd, env, input, background }: CommandOptions) {
  const { execa } = await import('execa');
  const child = execa(tool, args, {
    ...(cwd === undefined ? {} : { cwd }),
    ...(env && { env }),
    stdin: input ? 'pipe' : 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    detached: true,
    buffer: false,
    reject: false,
  });
  if (background && child.pid !== undefined)
    setPriority(child.pid, priorities[background === true ? 'background' : background]);
  return { child };
}

function toolError(tool: string, args: readonly string[], said: string, how: string, cause?: unknown): ExternalError {
  const output = lastLines(said);
  return new ExternalError(`${basename(tool)} ${args[0] ?? ''} ${how}`.replace(/ +/g, ' '), {
    code: 'command_failed',
    failed: { tool, args, output },
    cause,
  });
}

/**
 * Returns why a program did not start. A folder of PATH that this user cannot read gives EACCES, also for an absent
 * program.
 */
const whyNotStarted = ({ code }: { readonly code?: string | undefined }): string =>
  code === 'ENOENT' ? 'it is not on this machine' : `${code}, perhaps by a folder of PATH that cannot be read`;

/**
 * Runs a program. Returns the last 64 Ki characters of standard output, or '' with `output`. @throws ExternalError
 * unless the exit status is 0, and the reason of the signal when it is aborted
 */
export async function command(tool: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  const { signal, input, output, onText } = options;
  signal?.throwIfAborted();
  const { child } = await startProgram(tool, args, options);
  const onAbort = (): void => (child.pid === undefined ? undefined : endGroup(child.pid));
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort(); // aborted while execa was being loaded
  const errorOutput = keepOutput(child.stderr, 'stderr', onText);
  const printed = output ? undefined : keepOutput(child.stdout, 'stdout', onText);
  const [result] = await Promise.all([
    child,
    output && pipeline(child.stdout, output),
    // When a program stops reading its input, its exit status gives the cause.
    input && child.stdin && pipeline(input, child.stdin).catch(() => undefined),
  ]).finally(() => signal?.removeEventListener('abort', onAbort));
  signal?.throwIfAborted();
  if (!result.failed) return printed?.() ?? '';
  if (child.pid === undefined)
    throw toolError(tool, args, '', `cannot be started: ${whyNotStarted(result)}`, result.cause);
  const ending = result.signal ? `was ended by ${result.signal}` : `ended with status ${result.exitCode}`;
  throw toolError(tool, args, `${printed?.() ?? ''}\n${errorOutput()}`.trimStart(), ending, result.cause);
}
