import { printable, readable } from '../../../platform/escape.ts';
import { counted } from '../../program/counted.ts';
import type { Paint } from '../../program/paint.ts';
import { shortened } from '../../program/shortened.ts';
import type { CaseResult } from './case.ts';
import { exceptionText } from './edit.ts';
import type { AllowResult, Change, Effects } from './result.ts';
import { secretWarning } from './secret.ts';

const shownCharacters = 100;
const shownText = (text: string): string => shortened(printable(text), shownCharacters);

const changeText = ({ target, host, body, rule }: Change): string =>
  `    ${printable(host ?? '')}${shownText(target)}${body === undefined ? '' : ` with the body ${shownText(body)}`}  (${readable(rule)})`;

function effectLines({ allowed, blocked }: Effects, paint: Paint): string[] {
  const groups = allowed.flatMap(({ title, total, examples }) => [
    `  ${title}: ${counted(total, 'blocked request')} of those tried`,
    ...examples.map(changeText),
  ]);
  return [
    ...(groups.length === 0
      ? ['It allows nothing else of what was tried.']
      : [paint('yellow', 'It also allows:'), ...groups]),
    ...(blocked.length === 0 ? [] : [`Still blocked: ${blocked.map(shownText).join('  ')}`]),
  ];
}

export function allowText(
  { request, policy, status, reason, bound, exception, effects }: AllowResult,
  paint: Paint,
): string {
  const { method, host, target } = request;
  const head = paint('bold', `${method} ${printable(host ?? '')}${shownText(target)}`);
  if (status === 'allowed') return `${head}\n${readable(policy)} allows it already: ${reason}`;
  if (status === 'limit' || !exception || !effects) {
    const limit = `${reason}, ${bound ?? 'and it exceeds a limit'}`;
    return `${head}\n${paint('red', `${readable(policy)} blocks it: ${limit}. No exception lifts a limit.`)}`;
  }
  const written = `${readable(policy)} ${status === 'written' ? 'has' : 'needs'} this entry in "exceptions":`;
  return [
    head,
    status === 'written' ? paint('green', written) : written,
    '',
    `  ${readable(exceptionText(exception))}`,
    '',
    ...effectLines(effects, paint),
  ].join('\n');
}

function suiteLine({ file, ...suite }: CaseResult): string {
  return suite.added
    ? `note: ${readable(file)} has a case for it`
    : `note: no case was added to ${readable(file)}: ${suite.reason}`;
}

export function allowNotes({ status, request, exception, secrets = [], suite }: AllowResult, paint: Paint): string {
  if (!exception) return '';
  return [
    ...secretWarning(secrets, status === 'written', paint),
    ...(suite ? [suiteLine(suite)] : []),
    ...(request.host === null ? ['note: the exception is for every host; --host limits it to one'] : []),
    ...(status === 'proposed' ? ['note: --write adds it to the file'] : []),
  ].join('\n');
}
