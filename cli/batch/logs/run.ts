/** `guardcli test --log`: what the rows of a log format read in each line. */
import { resolve } from 'node:path';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { LogFormat } from '../../../contract/logs/format.ts';
import { readFormats } from '../../../daemon/intake/formats.ts';
import { createLogReader, type LogReader } from '../../../logs/read.ts';
import { timeOf } from '../../../logs/time.ts';
import { UsageError } from '../../../platform/errors.ts';
import type { Line } from '../../input/lines.ts';
import { nameOf, readLines } from '../../input/log-lines.ts';
import type { Context } from '../../program/context.ts';
import type { LogLineResult, LogResult } from './result.ts';

export interface LogOptions {
  readonly log: string;
  readonly format?: string;
  readonly formats?: readonly string[];
}

/** @throws UsageError for a file of formats that does not load, and for a name that no file has */
function formatOf({ format, formats = [] }: LogOptions, { cwd }: Context): LogFormat {
  const table = (() => {
    try {
      return readFormats({ formats: formats.map((name) => resolve(cwd, name)) });
    } catch (error) {
      throw new UsageError((error as Error).message, { code: 'bad_formats' });
    }
  })();
  const found = table.get(format ?? '');
  if (found) return found;
  const hint = `known formats are ${[...table.keys()].join(', ')}; guardcli replay reads access logs`;
  throw new UsageError(format === undefined ? '--log needs --format' : `there is no format ${JSON.stringify(format)}`, {
    code: 'unknown_format',
    hint,
  });
}

function read({ number, text, isCut }: Line, reader: LogReader, now: number): LogLineResult {
  const entry = isCut ? undefined : reader.ofFile(text);
  if (!entry) return { line: number, text, row: null };
  const { line: row, outcome, address, user, attempts } = entry;
  const time = timeOf(text, now);
  return {
    ...{ line: number, text, row, outcome, address, ...(user !== undefined && { user }), attempts },
    time: time === undefined ? null : new Date(time).toISOString(),
  };
}

export async function* runLog(options: LogOptions, context: Context): AsyncGenerator<LogLineResult[], LogResult> {
  const format = formatOf(options, context);
  const reader = createLogReader(format);
  const counts = format.lines.map(() => 0);
  const now = context.now();
  let [lines, unread] = [0, 0];
  const pieces = readLines(options.log, daemonBounds.intakeLineBytes, context);
  let piece = await pieces.next();
  for (; !piece.done; piece = await pieces.next()) {
    const results = piece.value.map((line) => read(line, reader, now));
    for (const { row } of results) {
      lines += 1;
      if (row === null) unread += 1;
      else counts[row] = (counts[row] ?? 0) + 1;
    }
    yield results;
  }
  const rows = format.lines.map(({ outcome, pattern }, row) => ({ row, outcome, pattern, lines: counts[row] ?? 0 }));
  return { log: nameOf(options.log), format: format.name, lines, unread, rows: rows.filter((one) => one.lines > 0) };
}
