/** The counts over a list of targets for people. */
import { printable, readable } from '../../platform/escape.ts';
import type { Paint } from '../program/paint.ts';
import { type Row, table } from '../program/table.ts';
import type { Count, PathResult, PathsResult } from './result.ts';

/** Characters of a target that are shown: one line of a wide terminal. */
const shownCharacters = 160;

const share = (count: number, all: number): string => (all === 0 ? '' : ` (${((100 * count) / all).toFixed(3)} %)`);

function counted(title: string, counts: readonly Count[]): string[] {
  if (counts.length === 0) return [];
  return ['', `${title}:`, ...table(counts.map(({ name, count }): Row => [readable(name), String(count)]))];
}

function disagreement({ line, request, verdict, reason, rule }: PathResult): Row {
  const target = printable(request.target);
  const shown = target.length > shownCharacters ? `${target.slice(0, shownCharacters)}...` : target;
  return [`line ${line}`, `${verdict.toUpperCase()}  ${rule === undefined ? reason : readable(rule)}  ${shown}`];
}

function expectedText({ expected }: PathsResult, paint: Paint): string[] {
  if (!expected) return [];
  if (expected.met) return ['', paint('green', 'as expected')];
  const { verdict, disagreeing, first } = expected;
  const more = disagreeing - first.length;
  return [
    '',
    paint('red', `expected: ${verdict}; ${disagreeing} ${disagreeing === 1 ? 'target disagrees' : 'targets disagree'}`),
    ...table(first.map(disagreement)),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

export function pathsText(result: PathsResult, paint: Paint): string {
  const { list, policy, targets, emptyLines, cutLines, verdicts, reasons, rules } = result;
  const rows: Row[] = [
    ['policy', policy === null ? 'the defaults' : readable(policy)],
    ['blocked', `${verdicts.blocked}${share(verdicts.blocked, targets)}`],
    ['allowed', `${verdicts.allowed}${share(verdicts.allowed, targets)}`],
  ];
  if (verdicts.refused > 0) rows.push(['refused', `${verdicts.refused}${share(verdicts.refused, targets)}`]);
  if (emptyLines > 0) rows.push(['empty lines', `${emptyLines}, skipped`]);
  if (cutLines > 0) rows.push(['long lines', `${cutLines}, judged by their beginning`]);
  const head = paint('bold', `${readable(list)}: ${targets} ${targets === 1 ? 'target' : 'targets'}`);
  return [
    head,
    ...table(rows),
    ...counted('Reasons', reasons),
    ...counted('Rules that blocked', rules),
    ...expectedText(result, paint),
  ].join('\n');
}
