/** Counts tests from the event stream of `go test -json` (https://pkg.go.dev/cmd/test2json). */
import type { Counts } from '../graph/task.ts';

interface GoEvent {
  readonly Action: string;
  readonly Package?: string;
  readonly Test?: string;
  readonly Output?: string;
}

const endings: Record<string, keyof Counts> = { pass: 'passed', fail: 'failed', skip: 'skipped' };

/** Lines that are not events come from Go itself, before any test ran. */
function parse(line: string): GoEvent {
  try {
    return JSON.parse(line);
  } catch {
    return { Action: 'output', Output: `${line}\n` };
  }
}

const nameOf = ({ Package = '', Test }: GoEvent): string => (Test === undefined ? Package : `${Package}/${Test}`);

/** The ended tests without those that only group others, and the packages that failed for another reason. */
function countable(ended: readonly GoEvent[]): GoEvent[] {
  const names = ended.filter(({ Test }) => Test !== undefined).map(nameOf);
  const groups = new Set(
    names.flatMap((name) => name.split('/').map((_, index, all) => all.slice(0, index).join('/'))),
  );
  const failed = ended.filter(({ Action, Test }) => Action === 'fail' && Test !== undefined);
  const explained = new Set(failed.map(({ Package }) => Package));
  return ended.filter((event) =>
    event.Test === undefined ? event.Action === 'fail' && !explained.has(event.Package) : !groups.has(nameOf(event)),
  );
}

export interface Tally {
  readonly counts: Counts;
  /** What the failed ones printed, and what belongs to no test. */
  readonly output: string;
}

/** Each test without subtests counts once; so does a package that fails without a failing test. */
export function tally(lines: readonly string[]): Tally {
  const events = lines.filter((line) => line !== '').map(parse);
  const ended = countable(events.filter(({ Action }) => Action in endings));
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { Action } of ended) counts[endings[Action] as keyof Counts] += 1;
  const failed = new Set(ended.filter(({ Action }) => Action === 'fail').map(nameOf));
  const isWanted = (event: GoEvent): boolean => event.Package === undefined || failed.has(nameOf(event));
  const output = events
    .filter(isWanted)
    .map(({ Output = '' }) => Output)
    .join('');
  return { counts, output };
}
