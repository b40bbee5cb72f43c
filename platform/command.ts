/** Runs another program to its end: bounded memory, whole process group ended on abort, failure as ExternalError. */
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
/** Nice values: below everything that a person waits for, and below all other background work. */
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
  /** Runs at low priority; `last`: at the lowest. */
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

/** A separate process group lets compilers that npm or make started end with it. */
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

function keep(stream: Readable, onText?: (text: string) => void): () => string {
  let kept = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    onText?.(text);
    kept = (kept + text).slice(-keptBytes);
  });
  return () => kept;
}

/** Started by execa, which is loaded late: no start of the CLI pays for it. Wrapped, because the process itself is awaitable. */
async function start(tool: string, args: readonly string[], { cwd, env, input, background }: CommandOptions) {
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

function failure(tool: string, args: readonly string[], said: string, how: string, cause?: unknown): ExternalError {
  const output = lastLines(said);
  return new ExternalError(`${basename(tool)} ${args[0] ?? ''} ${how}`.replace(/ +/g, ' '), {
    code: 'command_failed',
    failed: { tool, args, output },
    cause,
  });
}

/** A folder of PATH that this user cannot read gives EACCES, also when no other one has the program. */
const whyNotStarted = ({ code }: { readonly code?: string | undefined }): string =>
  code === 'ENOENT' ? 'it is not on this machine' : `${code}, perhaps by a folder of PATH that cannot be read`;

/** Standard output of the program (its last 64 KiB); throws ExternalError unless it ends with 0. */
export async function command(tool: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  const { signal, input, output, onText } = options;
  signal?.throwIfAborted();
  const { child } = await start(tool, args, options);
  const onAbort = (): void => (child.pid === undefined ? undefined : endGroup(child.pid));
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort(); // while execa was loaded
  const said = keep(child.stderr, onText);
  const printed = output ? undefined : keep(child.stdout, onText);
  const [result] = await Promise.all([
    child,
    output && pipeline(child.stdout, output),
    // A program that stops reading says why by its status.
    input && child.stdin && pipeline(input, child.stdin).catch(() => undefined),
  ]).finally(() => signal?.removeEventListener('abort', onAbort));
  signal?.throwIfAborted();
  if (!result.failed) return printed?.() ?? '';
  if (child.pid === undefined)
    throw failure(tool, args, '', `cannot be started: ${whyNotStarted(result)}`, result.cause);
  const how = result.signal ? `was ended by ${result.signal}` : `ended with status ${result.exitCode}`;
  throw failure(tool, args, `${printed?.() ?? ''}\n${said()}`.trimStart(), how, result.cause);
}
