import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseDuration } from '../../contract/values/duration.ts';
import { UsageError } from '../../platform/errors.ts';
import { readable } from '../../platform/escape.ts';
import { writing } from '../../platform/writing.ts';
import { reportBounds } from '../counting/bounds.ts';
import { identityOf, nameOf, readLines, refuseRepeatedFiles } from '../input/log-lines.ts';
import { portFrom } from '../input/port.ts';
import { refuseStdinTwice } from '../input/source.ts';
import { command } from '../program/command.ts';
import type { Context } from '../program/context.ts';
import { counted, grouped } from '../program/counted.ts';
import type { AnsweredList } from '../replay/result.ts';
import { openLoki } from '../stack/loki/client.ts';
import { type LokiOptions, lokiUrl, withLokiOptions } from '../stack/loki/options.ts';
import { pagesOf } from '../stack/loki/pages.ts';
import { documentOf } from './document.ts';
import { type ReportEvent, readEvent } from './event.ts';
import { skippedRows } from './input-section.ts';
import { pageOf } from './page.ts';
import type { FileCount, ReportResult } from './result.ts';
import { previousStart, Tally } from './tally.ts';

interface Options extends LokiOptions {
  readonly file: readonly string[];
  readonly since?: string;
  readonly site?: string;
  readonly output?: string;
}

/** Returns milliseconds since the epoch, or -Infinity when `since` is undefined. @throws UsageError */
function sinceOf(since: string | undefined, now: number): number {
  if (since === undefined) return Number.NEGATIVE_INFINITY;
  const length = parseDuration(since);
  if (length !== undefined && Number.isFinite(length) && length > 0 && length <= now) return now - length;
  throw new UsageError(`--since is ${JSON.stringify(since)}`, {
    code: 'bad_since',
    hint: 'give a length of time, such as 24h, 90m or 7d',
  });
}

/** Value of --output that selects standard output. */
const stdoutName = '-';

/** Value of --since when the command reads Loki and the user gave none. */
const usualSince = '24h';

type Readable = Parameters<Tally['skip']>[0] | AnsweredList | ReportEvent;

/** Returns true when the line was counted as an event. */
function countLine(event: Readable, tally: Tally): boolean {
  if (typeof event === 'string') tally.skip(event);
  else if ('rows' in event) tally.addAnswered(event);
  else return tally.add(event);
  return false;
}

async function countFile(file: string, tally: Tally, context: Context): Promise<FileCount> {
  const pieces = readLines(file, reportBounds.lineBytes, context);
  let [lines, events] = [0, 0];
  let piece = await pieces.next();
  for (; !piece.done; piece = await pieces.next()) {
    lines += piece.value.length;
    for (const { text, isCut } of piece.value) {
      if (text === '') continue;
      if (countLine(isCut ? 'tooLong' : readEvent(text), tally)) events += 1;
    }
  }
  return { name: nameOf(file), lines, events, ...(piece.value !== undefined && { problem: piece.value }) };
}

/** Counts the events in Loki. The collector sent the lines unchanged, so they are parsed like lines of a file. */
async function countLoki(url: string, tally: Tally, { signal }: Context): Promise<FileCount> {
  const { now } = tally.range;
  const span = { start: Math.max(0, previousStart(tally.range)), end: now + reportBounds.futureMs };
  const loki = openLoki(url, signal, 'name event files');
  let [lines, events] = [0, 0];
  for await (const page of pagesOf(loki, '{app="request-guard"}', span)) {
    lines += page.length;
    for (const { line } of page) {
      const text = Buffer.from(line).toString('latin1');
      if (countLine(text.length > reportBounds.lineBytes ? 'tooLong' : readEvent(text), tally)) events += 1;
    }
  }
  // Lines before the range were read only for the comparison of periods.
  const { older } = tally.skipped;
  tally.skipped.older = 0;
  return { name: `Loki at ${loki.address}`, lines: lines - older, events };
}

/** @throws UsageError when the page would overwrite one of the event files */
function refuseOverwriting(output: string, files: readonly string[], context: Context): void {
  const wanted = identityOf(output, context);
  if (wanted === undefined || !files.some((file) => identityOf(file, context) === wanted)) return;
  throw new UsageError(`${output} is one of the event files`, {
    code: 'conflict',
    hint: 'give the page another name with --output',
  });
}

function writePage(output: string, page: string, { cwd }: Context): void {
  const refusal = { code: 'file_unwritable', hint: 'name a file in a folder that you can write to' };
  writing(output, refusal, () => writeFileSync(resolve(cwd, output), `${page}\n`));
}

async function run({ file: files, ...options }: Options, context: Context): Promise<ReportResult> {
  const output = options.output === stdoutName ? undefined : options.output;
  const now = context.now();
  const isStored = files.length === 0;
  const tally = new Tally({ now, since: sinceOf(options.since ?? (isStored ? usualSince : undefined), now) });
  if (options.lokiPort !== undefined) portFrom('--loki-port', options.lokiPort);
  refuseStdinTwice(files);
  refuseRepeatedFiles(files, context);
  if (output !== undefined) refuseOverwriting(output, files, context);
  const counts: FileCount[] = [];
  if (isStored) counts.push(await countLoki(lokiUrl(options, context), tally, context));
  for (const file of files) counts.push(await countFile(file, tally, context));
  const result = { ...documentOf(tally, counts), isOfLoki: isStored, site: options.site || null, page: output ?? null };
  if (output !== undefined) writePage(output, pageOf(result), context);
  return result;
}

function summaryOf({ page, events, files, moreFiles, totals, isOfLoki }: ReportResult): string {
  const originText = isOfLoki ? 'Loki' : counted(files.length + moreFiles, 'file');
  const detected = totals.detected === 0 ? '' : `, ${grouped(totals.detected)} in mode detect`;
  return `${readable(page ?? '')}: ${grouped(events)} ${events === 1 ? 'event' : 'events'} of ${originText}, ${grouped(totals.blocked)} blocked${detected}`;
}

const accessLogNote =
  'note: no line is an event; of an access log, pass the output of `guardcli replay access.log --json`';

export const definition = command<Options, ReportResult>({
  description:
    'Reads event files of the gateways and audit files of tcp-guard, also compressed with gzip, in any order and of any ' +
    'size. Prints one HTML page that needs nothing else: what was blocked over time by gateway and rule, the most frequent ' +
    'addresses, paths and countries, what an address did on the other layer, and rules that may be false positives. ' +
    'A file that `guardcli replay --json` wrote adds what clients with blocked requests got answered with success. ' +
    'What the page leaves out is said on the page. Without files, the events of the last 24 hours come from the Loki of ' +
    'the stack that `guardcli dashboard up` starts.',
  examples: [
    {
      line: 'guardcli dashboard report /var/log/guard/*.jsonl* /var/log/guard/*/*.jsonl* --since 24h -o report.html',
      note: 'the last day, from the current files and the rotated ones',
    },
    { line: 'guardcli dashboard report --since 7d -o report.html', note: 'from Loki: the last week' },
    { line: 'docker logs caddy 2>&1 | guardcli dashboard report - > report.html', note: 'from standard input' },
  ],
  configure: (parser) =>
    withLokiOptions(
      parser
        .argument('[file...]', 'event files and audit files; - reads standard input; without any, Loki is read')
        .option('--since <time>', 'only events of the last 24h, 90m, 7d and so on')
        .option('--site <name>', 'name of the site, for the title of the page')
        .option('-o, --output <file>', 'write the page to this file, and print a summary; - prints the page'),
    ),
  run,
  text: (result) => (result.page === null ? pageOf(result) : summaryOf(result)),
  notes: (result, paint) => {
    const skipped = skippedRows(result).map(([cause, count]) => `not counted: ${cause}: ${grouped(count)}`);
    const damaged = result.files.flatMap(({ name, problem }) =>
      problem === undefined ? [] : [`${paint('yellow', 'warning:')} ${readable(name)}: ${problem}`],
    );
    const { events, answered, skipped: causes } = result;
    const isOther = events === 0 && causes.notJson > 0 && answered === null;
    const noticed = result.notices.map((text) => `${paint('yellow', 'warning:')} ${text}`);
    return [...noticed, ...skipped, ...damaged, ...(isOther ? [accessLogNote] : [])].join('\n');
  },
});
