/** `guardcli dashboard report <file...>` */
import { parseDuration } from '../../../contract/values/duration.ts';
import { UsageError } from '../../../platform/errors.ts';
import { readable } from '../../../platform/escape.ts';
import { stdinName } from '../../input/source.ts';
import { command } from '../../program/command.ts';
import type { Context } from '../../program/context.ts';
import { counted } from '../../program/counted.ts';
import { documentOf } from './document.ts';
import { readEvent } from './event.ts';
import { number } from './html.ts';
import { skippedRows } from './input-section.ts';
import { refuseOverwriting, writePage } from './output.ts';
import { pageOf } from './page.ts';
import { nameOf, readLines } from './read.ts';
import type { FileCount, ReportResult } from './result.ts';
import { Tally } from './tally.ts';

interface Options {
  readonly file: readonly string[];
  readonly since?: string;
  readonly output?: string;
}

/** The earliest time of events that count. */
function sinceOf(since: string | undefined, now: number): number {
  if (since === undefined) return Number.NEGATIVE_INFINITY;
  const length = parseDuration(since);
  if (length !== undefined && Number.isFinite(length) && length > 0 && length <= now) return now - length;
  throw new UsageError(`--since is ${JSON.stringify(since)}`, {
    code: 'bad_since',
    hint: 'give a length of time, such as 24h, 90m or 7d',
  });
}

async function countFile(file: string, tally: Tally, context: Context): Promise<FileCount> {
  const pieces = readLines(file, context);
  let [lines, events] = [0, 0];
  let piece = await pieces.next();
  for (; !piece.done; piece = await pieces.next()) {
    lines += piece.value.length;
    for (const { text, isCut } of piece.value) {
      if (text === '') continue;
      const event = isCut ? 'tooLong' : readEvent(text);
      if (typeof event === 'string') tally.skip(event);
      else if (tally.add(event)) events += 1;
    }
  }
  return { name: nameOf(file), lines, events, ...(piece.value !== undefined && { problem: piece.value }) };
}

async function run({ file: files, since, output }: Options, context: Context): Promise<ReportResult> {
  const now = context.now();
  const tally = new Tally({ now, since: sinceOf(since, now) });
  if (files.filter((file) => file === stdinName).length > 1)
    throw new UsageError('standard input is named twice', { code: 'conflict', hint: 'name it once' });
  if (output !== undefined) refuseOverwriting(output, files, context);
  const counts: FileCount[] = [];
  for (const file of files) counts.push(await countFile(file, tally, context));
  const result = { ...documentOf(tally, counts), page: output ?? null };
  if (output !== undefined) writePage(output, pageOf(result), context);
  return result;
}

/** What a user of --output learns without opening the page. */
function summaryOf({ page, events, files, moreFiles, totals }: ReportResult): string {
  const from = counted(files.length + moreFiles, 'file');
  const detected = totals.detected === 0 ? '' : `, ${number(totals.detected)} in mode detect`;
  return `${readable(page ?? '')}: ${number(events)} ${events === 1 ? 'event' : 'events'} of ${from}, ${number(totals.blocked)} blocked${detected}`;
}

export const reportCommand = command<Options, ReportResult>({
  description:
    'Reads event files of the gateways and audit files of tcp-guard, also compressed with gzip, in any order and of any ' +
    'size. Prints one HTML page that needs nothing else: what was blocked over time by gateway and rule, the most frequent ' +
    'addresses, paths and countries, what an address did on the other layer, and rules that may be false positives. ' +
    'What the page leaves out is said on the page.',
  examples: [
    {
      line: 'guardcli dashboard report /var/log/guard/*.jsonl* --since 24h -o report.html',
      note: 'the last day, from the current files and the rotated ones',
    },
    { line: 'docker logs caddy 2>&1 | guardcli dashboard report - > report.html', note: 'from standard input' },
  ],
  configure: (parser) =>
    parser
      .argument('<file...>', 'event files and audit files; - reads standard input')
      .option('--since <time>', 'only events of the last 24h, 90m, 7d and so on')
      .option('-o, --output <file>', 'write the page to this file, and print a summary'),
  run,
  text: (result) => (result.page === null ? pageOf(result) : summaryOf(result)),
  notes: (result, paint) => {
    const skipped = skippedRows(result).map(([cause, count]) => `not counted: ${cause}: ${number(count)}`);
    const damaged = result.files.flatMap(({ name, problem }) =>
      problem === undefined ? [] : [`${paint('yellow', 'warning:')} ${readable(name)}: ${problem}`],
    );
    return [...skipped, ...damaged].join('\n');
  },
});
