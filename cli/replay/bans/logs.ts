/** Reads the logs of sources as events. */
import { spawn } from 'node:child_process';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { Daemon } from '../../../contract/daemon/schema.ts';
import { JournalEntries } from '../../../daemon/intake/journal.ts';
import type { Reading } from '../../../daemon/intake/reading.ts';
import type { Rehearsal } from '../../../daemon/intake/rehearsal.ts';
import { parseObject } from '../../../logs/access/json.ts';
import { timeOf } from '../../../logs/time.ts';
import { replayBounds } from '../../counting/bounds.ts';
import { type Line, linesOf } from '../../input/lines.ts';
import { nameOf, readLines } from '../../input/log-lines.ts';
import type { Context } from '../../program/context.ts';
import type { LogEvent, LogEvents } from './events.ts';
import type { SourceFile } from './files.ts';

const dayMs = 86_400_000;

export interface LogOptions {
  /** By index of the source. */
  readonly readings: readonly Reading[];
  readonly rehearsal: Rehearsal;
  readonly onProblem: (text: string) => void;
  /** Called for lines with a failure or a login whose time is unknown. */
  readonly onUndated: () => void;
}

/** Decodes a line as the daemon does. */
const decoded = (text: string, { encoding }: Reading): string =>
  encoding === 'latin1' ? text : Buffer.from(text, 'latin1').toString(encoding);

/** Lines without a time have that of the line before. A time in the future is that of a broken clock. */
function eventsOf(
  lines: readonly Line[],
  { source }: SourceFile,
  clock: { at: number | undefined },
  options: LogOptions,
  now: number,
) {
  const reading = options.readings[source] as Reading;
  const events: LogEvent[] = [];
  let others = 0;
  for (const { text, isCut } of lines) {
    const line = isCut ? '' : decoded(text, reading);
    const sightings = isCut ? [] : reading.ofFile(line);
    if (sightings.length === 0) {
      others += 1;
      continue;
    }
    const time = sightings[0]?.at ?? timeOf(line, now);
    if (time !== undefined && time <= now + dayMs) clock.at = time;
    if (clock.at === undefined) options.onUndated();
    else events.push({ source, at: clock.at, sightings });
  }
  options.rehearsal.addLines(source, others);
  return events;
}

export async function* fileEvents(file: SourceFile, options: LogOptions, context: Context): LogEvents {
  const clock: { at: number | undefined } = { at: undefined };
  const now = context.now();
  try {
    const lines = readLines(file.path, replayBounds.lineBytes, context);
    let step = await lines.next();
    for (; !step.done; step = await lines.next()) yield eventsOf(step.value, file, clock, options, now);
    if (step.value !== undefined) options.onProblem(`${nameOf(file.path)}: ${step.value}`);
  } catch (error) {
    options.onProblem(`${nameOf(file.path)}: ${(error as Error).message}`);
  }
}

/** Reads the journal since yesterday. */
export async function* journalEvents({ intake }: Daemon, options: LogOptions, { env, signal }: Context): LogEvents {
  const places = intake.map(({ unit, container }, source) => ({ unit, container, source }));
  const read = places.filter(({ unit, container }) => unit !== undefined || container !== undefined);
  const entries = new JournalEntries(read);
  const child = spawn('journalctl', ['--since=yesterday', ...entries.arguments], {
    ...{ env: env as NodeJS.ProcessEnv, signal, stdio: ['ignore', 'pipe', 'pipe'] },
  });
  let said = '';
  const ended = new Promise<string>((resolve) => {
    child.on('error', ({ message }) => resolve(message));
    child.on('close', (status) => resolve(status === 0 ? '' : said || `journalctl ended with status ${status}`));
  });
  child.stderr?.on('data', (piece: Buffer) => {
    said ||= piece.toString('latin1').slice(0, 200).trim();
  });
  for await (const lines of linesOf(child.stdout as AsyncIterable<Buffer>, daemonBounds.journalEntryBytes))
    yield lines.flatMap(({ text, isCut }): LogEvent[] => {
      const fields = isCut ? undefined : parseObject(Buffer.from(text, 'latin1').toString());
      return (fields ? entries.read(fields) : []).flatMap(({ source: place, message, at }) => {
        const source = read[place]?.source as number;
        const sightings = options.readings[source]?.ofMessage(message) ?? [];
        if (sightings.length > 0) return [{ source, at, sightings }];
        options.rehearsal.addLines(source, 1);
        return [];
      });
    });
  const problem = await ended;
  if (problem !== '') options.onProblem(`journal: ${problem}`);
}
