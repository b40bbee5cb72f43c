/** Reads the output of a sandbox container: lines of the runner, security events, and the proxy's own log. */
import type { Readable } from 'node:stream';
import type { Overflow } from '../../../contract/policy/reasons.ts';
import type { AuditEvent } from '../../../daemon/audit/event.ts';

/** One security event of the guard. Every value may come from an attacker. */
export interface GuardEvent {
  readonly type: 'guard_block' | 'guard_detect';
  readonly timestamp: string;
  readonly gateway: string;
  readonly mode: string;
  readonly client_ip: string;
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly request_uri: string;
  readonly target: string;
  readonly candidate: string;
  readonly rule_id: string;
  readonly pattern: string;
  readonly reason: string;
  readonly action: string;
  readonly status: number;
  readonly user_agent: string;
  /** Only of reason `limit_body`, as are the next two. `unread`: nginx could not read the body; only in mode detect. */
  readonly overflow?: Overflow | 'unread';
  readonly inspected_values?: number;
  readonly inspected_bytes?: number;
}

/** Number of events over the limit of a second. */
interface EventSummary {
  readonly type: 'guard_block_summary';
  readonly count: number;
}

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

export type SandboxLine = GuardEvent | AuditEvent | EventSummary | ReadyLine | ExitLine;

const known = new Set([
  ...['guard_block', 'guard_detect', 'guard_block_summary', 'security_event'],
  ...['sandbox_ready', 'sandbox_exit'],
]);

/** Parses a line of the runner or the guard. Undefined for anything else, such as the log of a proxy. */
export function parseLine(text: string): SandboxLine | undefined {
  if (!text.startsWith('{"type":"')) return undefined;
  try {
    const line = JSON.parse(text) as SandboxLine;
    return known.has(line.type) ? line : undefined;
  } catch {
    return undefined;
  }
}

/** An event line has at most 4 KiB. Longer lines are the log of a proxy with a long request in it. */
const longestLine = 64 * 1024;

/** Calls `take` for each line until the stream ends. Never stops reading, because an unread output blocks the proxy. */
function splitLines(stream: Readable, take: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = (lines.pop() ?? '').slice(0, longestLine);
    for (const line of lines) take(line);
  });
  stream.on('end', () => {
    if (rest !== '') take(rest);
  });
  stream.on('error', () => {}); // the end of the container is reported separately
}

interface LogEntry {
  readonly level?: unknown;
  readonly msg?: unknown;
  readonly error?: unknown;
}

/** An entry of a structured log in words. Undefined for any other line. */
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

/** The lines of a proxy log that explain why it ended: its errors if the log has levels, otherwise all lines. */
export function quoteLog(tail: readonly string[]): string {
  const entries = tail.map((line) => logEntry(line) ?? { isError: true, text: line });
  const errors = entries.filter(({ isError }) => isError);
  return (errors.length > 0 ? errors : entries).map(({ text }) => text).join('\n');
}

/** Number of kept log lines. */
const keptLines = 20;

/** Receives a line, and its text. */
export type TakeLine = (line: SandboxLine, text: string) => void;

export interface Output {
  /** The last lines of the proxy, oldest first. */
  readonly tail: readonly string[];
  /** Resolves with the last line of the runner, or undefined when the outputs ended without one. */
  readonly ended: Promise<ExitLine | undefined>;
}

/** Reads both outputs. Passes lines of the runner and the guard to `take`; all others are the log of the proxy. */
export function readOutput(stdout: Readable, stderr: Readable, take: TakeLine): Output {
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
    take(line, text);
  });
  const closed = (stream: Readable): Promise<void> => new Promise((resolve) => stream.once('close', resolve));
  const ended = Promise.all([closed(stdout), closed(stderr)]).then(() => last);
  return { tail, ended };
}
