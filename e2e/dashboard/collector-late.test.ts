/** Lines that reach Loki after a dashboard has shown their time: the next query counts them. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { skip } from '../../artefacts/testing/collector.ts';
import type { ReportResult } from '../../cli/report/result.ts';
import { blockLine } from '../../cli/report/testing/examples.ts';
import { rangeText } from '../../cli/stack/loki/options.ts';
import { runCaptured } from '../../cli/testing/captured.ts';
import type { WatchDocument } from '../../cli/watch/document.ts';
import { allLines, timeout, waitForLines } from './collector-lines.ts';
import { type Stack, startStack } from './loki-query.ts';

type Numbers = Readonly<Record<'total' | 'chart' | 'list' | 'query' | 'report', number>>;

/** Lengths of the tested ranges, in milliseconds. */
const rangeLengths = [5, 15, 60, 360, 1440, 10_080, 43_200].map((minutes) => minutes * 60_000);

/** The clock of every command is fixed, so that no line leaves a range. */
const now = Date.now();

const sum = (values: readonly number[] = []): number => values.reduce((all, value) => all + value, 0);

async function json<Result>({ loki }: Stack, since: string, ...argv: readonly string[]): Promise<Result> {
  const setting = { env: { ...loki.settings, HOME: '/nonexistent' }, now };
  const { status, stdout, stderr } = await runCaptured(['dashboard', ...argv, '--json', `--since=${since}`], setting);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as Result;
}

async function numbersOf(stack: Stack, since: string): Promise<Numbers> {
  const { panels } = await json<WatchDocument>(stack, since, 'watch');
  const panel = (title: string) => panels.find((one) => one.title === title) ?? assert.fail(title);
  const values = (title: string) => panel(title).values?.map(({ value }) => value);
  const query = 'sum(sum_over_time({app="request-guard", action="blocked"} | unwrap count [$__range]))';
  const found = await json<{ readonly values: readonly { readonly value: number }[] }>(stack, since, 'query', query);
  const report = await json<ReportResult>(stack, since, 'report');
  return {
    total: sum(values('Blocked')),
    chart: sum(panel('Gateways over time').series?.flatMap((series) => series.values)),
    list: sum(values('Rules')),
    query: sum(found.values.map(({ value }) => value)),
    report: report.totals.blocked,
  };
}

async function allNumbers(stack: Stack): Promise<Readonly<Record<string, Numbers>>> {
  const all: Record<string, Numbers> = {};
  for (const name of rangeLengths.map(rangeText)) all[name] = await numbersOf(stack, name);
  return all;
}

const linesOfRange = 10;

/**
 * One age in each range. It is well after the start of the range, because the first sample of a chart also counts
 * earlier lines.
 */
const agesMs = rangeLengths.map((rangeMs) => rangeMs * 0.8);

/** Returns lines of all ages. Loki drops equal lines of the same time, so each file needs another path. */
const linesOf = (path: string): string[] =>
  agesMs.flatMap((ageMs) =>
    Array.from({ length: linesOfRange }, () => blockLine({ path, timestamp: new Date(now - ageMs).toISOString() })),
  );

/** The numbers that commands must show when Loki has the lines of this many files. */
const expected = (files: number) =>
  Object.fromEntries(
    rangeLengths.map((ms, index) => {
      const number = files * linesOfRange * (index + 1);
      return [rangeText(ms), { total: number, chart: number, list: number, query: number, report: number }];
    }),
  );

describe('lines that arrive late', { skip, timeout }, () => {
  it('are in every range of watch, query and report at once', async (t) => {
    const stack = await startStack(t);
    for (const [files, name] of [
      [1, 'new.jsonl'],
      [2, 'old.jsonl'],
    ] as const) {
      writeFileSync(join(stack.collector.logs, name), `${linesOf(`/${name}`).join('\n')}\n`);
      await waitForLines(stack.query, allLines, files * linesOfRange * rangeLengths.length);
      assert.deepEqual(await allNumbers(stack), expected(files), name);
    }
  });
});
