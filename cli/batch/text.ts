import { printable, readable } from '../../platform/escape.ts';
import type { Count } from '../counting/counter.ts';
import { counted, grouped, withShare } from '../program/counted.ts';
import type { Paint } from '../program/paint.ts';
import { shortened } from '../program/shortened.ts';
import { type Row, table } from '../program/table.ts';
import type { NonTargetLines, PathResult, PathsResult, RuleCount } from './result.ts';

/** Maximum characters of a target that is alone on its line, and of a target that shares a line. */
const [shownCharacters, sharedCharacters] = [160, 60];

function titledRows(title: string, rows: readonly Row[]): string[] {
  return rows.length === 0 ? [] : ['', `${title}:`, ...table(rows, { right: [1] })];
}

export const reasonsText = (reasons: readonly Count[]): string[] =>
  titledRows(
    'Reasons',
    reasons.map(({ name, count }) => [readable(name), grouped(count)]),
  );

function ruleRow({ name, count, targets }: RuleCount): Row {
  const frequent = targets.map(
    (target) => `${shortened(printable(target.name), sharedCharacters)} (${grouped(target.count)})`,
  );
  return [readable(name), grouped(count), frequent.join(', ')];
}

function disagreementRow({ line, request, verdict, reason, rule }: PathResult): Row {
  const shown = shortened(printable(request.target), shownCharacters);
  return [`line ${line}`, `${verdict.toUpperCase()}  ${rule === undefined ? reason : readable(rule)}  ${shown}`];
}

function expectedText({ expected }: PathsResult, paint: Paint): string[] {
  if (!expected) return [];
  if (expected.met) return ['', paint('green', 'as expected')];
  const { verdict, disagreeing, first } = expected;
  const more = disagreeing - first.length;
  return [
    '',
    paint(
      'red',
      `expected: ${verdict}; ${grouped(disagreeing)} ${disagreeing === 1 ? 'target differs' : 'targets differ'}`,
    ),
    ...table(first.map(disagreementRow)),
    ...(more > 0 ? [`  and ${grouped(more)} more`] : []),
  ];
}

export function pathsText(result: PathsResult, paint: Paint): string {
  const { list, policy, targets, emptyLines, cutLines, notTargets, verdicts, reasons, rules } = result;
  const rows: Row[] = [
    ['policy', policy === null ? 'the defaults' : readable(policy)],
    ['blocked', withShare(verdicts.blocked, targets)],
    ['allowed', withShare(verdicts.allowed, targets)],
  ];
  if (verdicts.refused > 0) rows.push(['refused', withShare(verdicts.refused, targets)]);
  if (emptyLines > 0) rows.push(['empty lines', `${grouped(emptyLines)}, skipped`]);
  if (cutLines > 0) rows.push(['long lines', `${grouped(cutLines)}, evaluated by their start`]);
  if (notTargets) rows.push(['not targets', `${grouped(notTargets.count)}, they do not begin with /`]);
  const head = paint('bold', `${readable(list)}: ${counted(targets, 'target')}`);
  return [
    head,
    ...table(rows),
    ...reasonsText(reasons),
    ...titledRows('Rules that blocked, with their most frequent targets', rules.map(ruleRow)),
    ...expectedText(result, paint),
  ].join('\n');
}

export function notTargetsNote(
  { count, first }: NonTargetLines,
  all: number,
  [one, command]: readonly [one: string, command: string],
  paint: Paint,
): string {
  const example = `line ${first.line}: ${shortened(printable(first.request.target), sharedCharacters)}`;
  const lines = `${grouped(count)} of ${counted(all, one)} ${all === 1 ? 'does' : 'do'} not begin with /`;
  const hint = `pass one request target per line, for example: awk '{print $7}' access.log | ${command}`;
  return `${paint('yellow', 'warning:')} ${lines}, such as ${example}\n  ${paint('cyan', hint)}`;
}

export function pathsNotes({ uninspected, notTargets, targets }: PathsResult, paint: Paint): string {
  const warning = paint('yellow', 'warning:');
  const missed = uninspected.map(({ name, count }) => `${warning} ${counted(count, 'target')}: ${printable(name)}`);
  const command = ['line', 'guardcli test --paths -'] as const;
  return [...missed, ...(notTargets ? [notTargetsNote(notTargets, targets, command, paint)] : [])].join('\n');
}
