/** Reads lines of a log with the patterns of its format. */
import type { LogFormat, LogOutcome } from '../contract/logs/format.ts';
import { parseLogPattern } from '../contract/logs/pattern.ts';
import { compileRegex } from '../contract/regex/compile.ts';
import { literalsOf } from '../contract/regex/literals.ts';
import { createPrefilter } from '../contract/regex/prefilter.ts';
import { canonicalAddress } from '../contract/values/address.ts';
import { escapeBytes } from '../engine/bytes.ts';
import { multilogTime, readSyslog } from './syslog.ts';

export interface LogEntry {
  /** Index of the pattern in the row. */
  readonly line: number;
  readonly outcome: LogOutcome;
  /** See `LogLine`. */
  readonly reporter: string | undefined;
  /** An address in canonical text. */
  readonly address: string;
  /** As the client wrote it, escaped to printable ASCII. Undefined when the line has no user. */
  readonly user: string | undefined;
  /** Attempts that the line reports. 1 where it names no number. */
  readonly attempts: number;
}

/** Lines are byte strings: one Latin-1 character for each byte. */
export interface LogReader {
  /** Reads a line of a file, which may have the header of syslog. */
  readonly ofFile: (line: string) => LogEntry | undefined;
  /** Reads a message without the header of syslog, as the journal and containers keep it. */
  readonly ofMessage: (message: string) => LogEntry | undefined;
}

function compiled(pattern: string) {
  const result = parseLogPattern(pattern);
  if (!result.ok) throw new Error(result.reason);
  const { source, groups } = result.pattern;
  return { regex: compileRegex(source), groups };
}

/** @throws LibraryError when RE2 does not load */
export function createLogReader({ lines, programs }: Pick<LogFormat, 'lines' | 'programs'>): LogReader {
  const patterns = lines.map(({ outcome, reporter, pattern }) => ({ outcome, reporter, ...compiled(pattern) }));
  const mayMatch = createPrefilter(patterns.map(({ regex }) => literalsOf(regex.source)));
  const ofMessage = (message: string): LogEntry | undefined => {
    const text = escapeBytes(message); // patterns know printable ASCII only, like those of the engine
    for (const line of mayMatch(text)) {
      const { outcome, reporter, regex, groups } = patterns[line] as (typeof patterns)[number];
      const found = regex.exec(text);
      const address = found ? canonicalAddress(found[groups.address] as string) : undefined;
      if (!found || address === undefined) continue;
      const textOf = (group: number | undefined) => (group === undefined ? undefined : found[group]);
      return {
        line,
        outcome,
        reporter,
        address,
        user: textOf(groups.user),
        attempts: Number(textOf(groups.attempts) ?? 1),
      };
    }
    return undefined;
  };
  const ofFile = (raw: string): LogEntry | undefined => {
    const line = raw.replace(multilogTime, '').replace(/\r$/, ''); // sshd -E ends its lines with CR LF
    if (programs.length === 0) return ofMessage(line);
    const found = readSyslog(line, programs);
    if (!found) return ofMessage(line); // the server writes the file itself
    return programs.includes(found.program) ? ofMessage(found.message) : undefined;
  };
  return { ofFile, ofMessage };
}
