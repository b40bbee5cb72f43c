/** Reads the output of a sandbox container: lines of the runner, security events, and the log of the proxy. */
import type { Readable } from 'node:stream';
import { type EventRecord, parseMembers, recordOf } from '../../../contract/events/read.ts';

export interface ReadyLine {
  readonly type: 'sandbox_ready';
  /** Milliseconds since the start of the runner. */
  readonly ms: number;
}

interface ExitLine {
  readonly type: 'sandbox_exit';
  readonly reason: 'bad_config' | 'not_ready' | 'proxy_ended' | 'out_of_memory' | 'stopped';
  readonly message: string;
  readonly status: number;
}

type RunnerLine = ReadyLine | ExitLine;
export type SandboxLine = EventRecord | RunnerLine;

const runnerTypes: ReadonlySet<unknown> = new Set<RunnerLine['type']>(['sandbox_ready', 'sandbox_exit']);

/** Parses a line of the runner or the guard. Returns undefined for the log of a proxy. */
export function parseLine(text: string): SandboxLine | undefined {
  if (!text.startsWith('{"type":"')) return undefined;
  const members = parseMembers(text) ?? {};
  if (runnerTypes.has(members.type)) return members as unknown as RunnerLine;
  const found = recordOf(members);
  return typeof found === 'string' ? undefined : found.record;
}

/** An event has at most 4 KiB. The log of a proxy can quote a long request. */
const longestLine = 64 * 1024;

/** Never stops reading, because an unread output blocks the proxy. */
function splitLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = (lines.pop() ?? '').slice(0, longestLine);
    for (const line of lines) onLine(line);
  });
  stream.on('end', () => {
    if (rest !== '') onLine(rest);
  });
  stream.on('error', () => {}); // `ended` and the exit status report the end of the container
}

interface LogEntry {
  readonly level?: unknown;
  readonly msg?: unknown;
  readonly error?: unknown;
}

/** Parses a line of a log. Returns undefined when it is not JSON with a level and a message. */
function logEntry(line: string): { readonly isError: boolean; readonly text: string } | undefined {
  try {
    const { level, msg, error } = JSON.parse(line) as LogEntry;
    if (typeof level !== 'string' || typeof msg !== 'string') return undefined;
    const isError = /^(?:error|dpanic|panic|fatal)$/.test(level);
    return { isError, text: `${level}: ${msg}${typeof error === 'string' ? `: ${error}` : ''}` };
  } catch {
    return undefined;
  }
}

/** Quotes the errors and the lines without a level. Quotes all lines when there are no such lines. */
export function quoteLog(tail: readonly string[]): string {
  const entries = tail.map((line) => logEntry(line) ?? { isError: true, text: line });
  const errors = entries.filter(({ isError }) => isError);
  return (errors.length > 0 ? errors : entries).map(({ text }) => text).join('\n');
}

const keptLines = 20;

export type OnLine = (line: SandboxLine, text: string) => void;

export interface Output {
  /** The last lines of the proxy, oldest first. */
  readonly tail: readonly string[];
  /** The last line of the runner, if there was one. */
  readonly ended: Promise<ExitLine | undefined>;
}

/** Passes lines of the runner and the guard to `onLine`. All others are the log of the proxy. */
export function readOutput(stdout: Readable, stderr: Readable, onLine: OnLine): Output {
  const tail: string[] = [];
  let last: ExitLine | undefined;
  const log = (text: string): void => {
    tail.push(text);
    if (tail.length > keptLines) tail.shift();
  };
  splitLines(stderr, log);
  splitLines(stdout, (text) => {
    const line = parseLine(text);
    if (!line) return log(text);
    if (line.type === 'sandbox_exit') last = line;
    onLine(line, text);
  });
  const closed = (stream: Readable): Promise<void> => new Promise((resolve) => stream.once('close', resolve));
  const ended = Promise.all([closed(stdout), closed(stderr)]).then(() => last);
  return { tail, ended };
}
