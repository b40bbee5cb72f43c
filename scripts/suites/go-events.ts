/** Counts tests in the event stream of `go test -json` (https://pkg.go.dev/cmd/test2json). */
import type { Counts, Skip } from '../tasks/task.ts';

interface GoEvent {
  readonly Action: string;
  readonly Package?: string;
  readonly Test?: string;
  readonly Output?: string;
}

/** Lines that are not events come from Go itself, before any test ran. */
function parse(line: string): GoEvent {
  try {
    return JSON.parse(line);
  } catch {
    return { Action: 'output', Output: `${line}\n` };
  }
}

const nameOf = ({ Package = '', Test }: GoEvent): string => (Test === undefined ? Package : `${Package}/${Test}`);

/** Ended tests that are not groups, and packages that failed for another reason. */
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

/** The output line of a skipped test: `    x_test.go:12: reason`. */
const reasonLine = /^\s+\S+\.go:\d+: (.*)/m;

export interface Tally {
  readonly counts: Counts;
  /** Output of failed tests, and output that belongs to no test. */
  readonly output: string;
}

/** Counts each test without subtests once, and each package that fails without a failing test. */
export function tally(lines: readonly string[]): Tally {
  const events = lines.filter((line) => line !== '').map(parse);
  const ended = countable(events.filter(({ Action }) => ['pass', 'fail', 'skip'].includes(Action)));
  const of = (action: string): GoEvent[] => ended.filter(({ Action }) => Action === action);
  const printedBy = (isWanted: (event: GoEvent) => boolean): string =>
    events.map((event) => (isWanted(event) ? (event.Output ?? '') : '')).join('');
  const skipped = of('skip').map((event): Skip => {
    const output = printedBy((other) => nameOf(other) === nameOf(event));
    return { name: nameOf(event), reason: reasonLine.exec(output)?.[1] ?? 'no reason is given' };
  });
  const failed = new Set(of('fail').map(nameOf));
  const output = printedBy((event) => event.Package === undefined || failed.has(nameOf(event)));
  return { counts: { passed: of('pass').length, failed: failed.size, skipped }, output };
}
