/** Counts tests in the output of each test runner. */
import { stripVTControlCharacters } from 'node:util';
import type { Counts } from '../tasks/task.ts';

/** Counts the tests in the spec report of `node --test`. Returns undefined when the run ended before its summary. */
export function nodeCounts(output: string): Counts | undefined {
  const text = stripVTControlCharacters(output);
  const totals = Object.fromEntries([...text.matchAll(/ℹ (\w+) (\d+)$/gm)].map(([, key, sum]) => [key, Number(sum)]));
  const { pass, fail = 0, cancelled = 0 } = totals;
  if (pass === undefined) return undefined;
  const skipped = [...text.matchAll(/﹣ (.*) \([\d.]+ms\) # (.*)$/gm)];
  return {
    passed: pass,
    failed: fail + cancelled,
    skipped: skipped.map(([, name = '', reason = '']) => ({ name, reason })),
  };
}

/**
 * Returns the part below the summary of the spec report, which repeats each failed test with its place and error.
 * Returns the whole output when it has no such part.
 */
export const nodeFailures = (output: string): string => /✖ failing tests:.*/s.exec(output)?.[0] ?? output;

/** Counts the tests in the last line of the Lua runner and of the documentation runner. */
export function summaryCounts(output: string): Counts {
  const [, passed, failed] = /^(\d+) passed, (\d+) failed\n?$/m.exec(output) ?? [];
  if (passed === undefined) throw new Error('the runner did not print how many passed');
  return { passed: Number(passed), failed: Number(failed), skipped: [] };
}

/**
 * Counts the tests in the output of `go test -v`: each test without subtests, and each package that does not compile.
 * The reason of a skipped test is the first line that it prints.
 */
export function goCounts(output: string): Counts {
  const reasons = new Map(
    [...output.matchAll(/^=== RUN +(\S+)\n +\S+\.go:\d+: (.*)$/gm)].map(([, ...pair]) => pair as [string, string]),
  );
  const ended = [...output.matchAll(/^ *--- (PASS|FAIL|SKIP): (\S+)/gm)].map(([, how, name = '']) => ({ how, name }));
  const groups = new Set(ended.map(({ name }) => name.slice(0, name.lastIndexOf('/'))));
  const namesOf = (how: string): string[] =>
    ended.filter((test) => test.how === how && !groups.has(test.name)).map(({ name }) => name);
  const broken = [...output.matchAll(/^FAIL\s+\S+ \[.* failed\]$/gm)];
  const skipped = namesOf('SKIP').map((name) => ({ name, reason: reasons.get(name) ?? 'no reason is given' }));
  return { passed: namesOf('PASS').length, failed: namesOf('FAIL').length + broken.length, skipped };
}

/** Returns the output without the lines that report starts, and tests and packages that passed or were skipped. */
export const goFailures = (output: string): string =>
  output.replaceAll(/^(?:===.*| *--- (?:PASS|SKIP).*|PASS|ok .*|\? .*)\n/gm, '');
