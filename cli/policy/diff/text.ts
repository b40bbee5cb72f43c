import { printable, readable } from '../../../platform/escape.ts';
import { notTargetsNote } from '../../batch/text.ts';
import { counted, grouped } from '../../program/counted.ts';
import type { Paint } from '../../program/paint.ts';
import { quote } from '../../program/quote.ts';
import { shortened } from '../../program/shortened.ts';
import { table } from '../../program/table.ts';
import type { Change, ChangedRequest, ComparedVerdict, DiffResult, ModeChange } from './result.ts';

/** Maximum requests and pairs of rules printed for each kind, and maximum characters of a request. */
const [shownRequests, shownPairs, shownRequestCharacters] = [5, 5, 100];
/** Maximum characters of the value of a setting. */
const shownValueCharacters = 200;

const valueText = (value: unknown): string =>
  value === undefined ? 'absent' : shortened(readable(JSON.stringify(value)), shownValueCharacters);

function settingsText({ settings }: DiffResult, paint: Paint): string[] {
  return settings.flatMap(({ key, old, new: fresh }) => [
    paint('red', `- ${key}: ${valueText(old)}`),
    paint('green', `+ ${key}: ${valueText(fresh)}`),
  ]);
}

function rulesText({ rules }: DiffResult, paint: Paint): string[] {
  const row = (style: 'red' | 'green' | 'yellow', sign: string, ids: readonly string[]): string[] =>
    ids.length === 0 ? [] : [paint(style, `${sign} ${counted(ids.length, 'rule')}: ${ids.map(readable).join(', ')}`)];
  return [...row('red', '-', rules.removed), ...row('green', '+', rules.added), ...row('yellow', '~', rules.changed)];
}

const nameOf = ({ rule, reason }: ComparedVerdict): string => readable(rule ?? reason);

function requestText({ method, target, header, body }: ChangedRequest): string {
  const line = method === 'GET' ? target : `${method} ${target}`;
  if (header) return `${line} with ${header.join(': ')}`;
  return body === undefined ? line : `${line} with the body ${body}`;
}

const requestRow = (request: ChangedRequest): string[] => [
  request.line === undefined ? '' : `line ${request.line}`,
  shortened(printable(requestText(request)), shownRequestCharacters),
  `${nameOf(request.old)} to ${nameOf(request.new)}`,
];

function changeText({ kind, count, isVerdict, rules, first }: Change, paint: Paint): string {
  const rest = count - Math.min(first.length, shownRequests);
  const head = paint(isVerdict ? 'bold' : 'dim', `${kind}: ${counted(count, 'request')}`);
  const pairs = rules.slice(0, shownPairs).map(({ name, count: of }) => `${readable(name)} (${grouped(of)})`);
  return [
    head,
    `  ${pairs.join(', ')}${rules.length > shownPairs ? ', ...' : ''}`,
    ...(isVerdict ? table(first.slice(0, shownRequests).map(requestRow), { indent: '    ' }) : []),
    ...(isVerdict && rest > 0 ? [`    and ${grouped(rest)} more`] : []),
  ].join('\n');
}

const modeEffects = {
  enforce: 'blocked, and no longer only reported',
  detect: 'only reported, and no longer blocked',
} as const satisfies Record<ModeChange['new'], string>;

function modeText({ old, new: fresh, requests }: ModeChange): string {
  const verb = requests === 1 ? 'is' : 'are';
  return `the mode changes from ${old} to ${fresh}: ${counted(requests, 'request')} ${verb} ${modeEffects[fresh]}`;
}

export function diffText(result: DiffResult, paint: Paint): string {
  const { old, new: fresh, list, requests, changedVerdicts, changes, mode } = result;
  const head = paint('bold', `${readable(old)} to ${readable(fresh)}`);
  const policies = [...settingsText(result, paint), ...rulesText(result, paint)];
  const source = list === null ? 'the examples of the rules' : readable(list);
  const end = `${counted(changedVerdicts, 'verdict')} of ${counted(requests, 'request')} of ${source} ${changedVerdicts === 1 ? 'changes' : 'change'}`;
  return [
    [head, ...(policies.length === 0 ? ['no setting and no rule differs'] : policies)].join('\n'),
    ...changes.map((change) => changeText(change, paint)),
    [paint(changedVerdicts === 0 ? 'green' : 'yellow', end), ...(mode ? [paint('yellow', modeText(mode))] : [])].join(
      '\n',
    ),
  ].join('\n\n');
}

export function diffNotes({ notTargets, requests, old, new: fresh }: DiffResult, paint: Paint): string {
  const command = ['request', `guardcli diff ${quote(old)} ${quote(fresh)} --paths -`] as const;
  return notTargets ? notTargetsNote(notTargets, requests, command, paint) : '';
}
