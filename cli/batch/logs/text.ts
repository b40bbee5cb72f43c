import { printable, readable } from '../../../platform/escape.ts';
import { counted, grouped } from '../../program/counted.ts';
import type { Paint } from '../../program/paint.ts';
import { shortened } from '../../program/shortened.ts';
import { table } from '../../program/table.ts';
import type { LogLineResult, LogResult } from './result.ts';

const [shownCharacters, shownPattern] = [160, 80];

/** One line of output for one of the log. Everything of the log is escaped. */
export function logLineText({ line, text, row, outcome, address = '', user, attempts = 1 }: LogLineResult): string {
  const shown = shortened(printable(text), shownCharacters);
  if (row === null) return `${line}: - : ${shown}`;
  const of = user === undefined ? '' : ` user ${JSON.stringify(shortened(printable(user), shownCharacters))}`;
  const count = attempts === 1 ? '' : ` (${attempts} attempts)`;
  return `${line}: ${outcome} ${printable(address)}${of}${count}, row ${row}: ${shown}`;
}

export function logText({ log, format, lines, unread, rows }: LogResult, paint: Paint): string {
  const head = ['row', 'outcome', 'lines', 'pattern'];
  const body = rows.map(({ row, outcome, lines, pattern }) => [
    ...[String(row), outcome, grouped(lines), shortened(readable(pattern), shownPattern)],
  ]);
  return [
    paint(
      'bold',
      `${counted(lines, 'line')} of ${readable(log)} as ${format}: ${grouped(lines - unread)} read, ${grouped(unread)} not`,
    ),
    ...(rows.length > 0 ? table([head, ...body], { right: [0, 2] }) : []),
  ].join('\n');
}
