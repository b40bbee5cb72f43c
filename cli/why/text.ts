import { printable, readable } from '../../platform/escape.ts';
import { whyBounds } from '../counting/bounds.ts';
import { configOption } from '../input/source.ts';
import { exceptionText } from '../policy/allow/edit.ts';
import { secretRules, secretWarning } from '../policy/allow/secret.ts';
import { counted, grouped } from '../program/counted.ts';
import type { Paint } from '../program/paint.ts';
import { quote } from '../program/quote.ts';
import { shortened } from '../program/shortened.ts';
import { type Row, table } from '../program/table.ts';
import type { Named } from './counts.ts';
import type { WhyResult } from './result.ts';

const shownText = (value: string): string => shortened(printable(value), whyBounds.valueCharacters);

function requestText({ event }: WhyResult): string[] {
  const { client_ip, method, host, request_uri, user_agent, action, status, gateway, timestamp } = event;
  return table([
    ['time', `${shownText(timestamp)}, ${shownText(gateway)}`],
    ['client', shownText(client_ip) || 'without an address'],
    ['request', `${shownText(method)} ${shownText(host)}${shownText(request_uri)}`],
    ['user agent', shownText(user_agent) || 'none'],
    ['response', `${shownText(action)}${status === 0 ? '' : ` ${status}`}`],
  ]);
}

function reasonText({ event, rule, bound }: WhyResult): string[] {
  const { reason, target, candidate, rule_id } = event;
  const unknown = 'the policy does not have it; name the policy of the gateway with -c';
  const rows: Row[] = [
    ['reason', `${shownText(reason)}${bound === undefined ? '' : `: ${bound}`}`],
    ['inspected', shownText(target)],
    ...(candidate === '' ? [] : [['reading', shownText(candidate)]]),
    ...(rule_id === '' ? [] : [['rule', `${shownText(rule_id)}${rule === null ? `: ${unknown}` : ''}`]]),
    ...(rule === null || rule.why === '' ? [] : [['', readable(rule.why)]]),
    ...(rule === null ? [] : [['pattern', shownText(rule.pattern)]]),
  ];
  return table(rows);
}

function namedText(named: Named, total: number): string {
  const others = total - named.reduce((sum, { count }) => sum + count, 0);
  const all = named.map(({ name, count }) => `${shownText(name)} (${grouped(count)})`);
  return [...all, ...(others === 0 ? [] : [`others (${others})`])].join(', ');
}

function countsText({ event, counts: { from, to, sameRule, sameAddress } }: WhyResult): string[] {
  const addresses = `${sameRule.addresses} ${sameRule.addresses === 1 ? 'address' : 'addresses'}`;
  return [
    `From ${shownText(from)} to ${shownText(to)}:`,
    ...table([
      [
        event.rule_id === '' ? 'this limit' : 'this rule',
        `${counted(sameRule.requests, 'request')} of ${addresses}: ${namedText(sameRule.most, sameRule.requests)}`,
      ],
      [
        'this address',
        `${counted(sameAddress.requests, 'request')}: ${namedText(sameAddress.rules, sameAddress.requests)}`,
      ],
    ]),
  ];
}

const policyName = ({ policy }: WhyResult): string => (policy === null ? 'the policy' : readable(policy));

const allowTexts: Readonly<Record<WhyResult['allow']['status'], (result: WhyResult) => string[]>> = {
  proposed: (result) => [
    `To allow it, add this entry to "exceptions" of ${policyName(result)}:`,
    `  ${readable(result.allow.exception === undefined ? '' : exceptionText(result.allow.exception))}`,
  ],
  allowed: (result) => [
    result.policy === null
      ? 'The default policy does not block it: name the policy of the gateway with -c.'
      : `${policyName(result)} does not block it.`,
  ],
  limit: () => ['No exception lifts a limit.'],
  cut: () => ['The event has only a part of the target: `guardcli allow` proposes an exception for the whole one.'],
  impossible: () => ['No exception can have this path.'],
};

export function whyText(result: WhyResult, paint: Paint): string {
  const { reference, source, event } = result;
  const verb = event.type === 'guard_detect' ? paint('yellow', 'detected') : paint('red', 'blocked');
  return [
    `${paint('bold', reference)} ${verb}  ${paint('dim', readable(source))}`,
    ...requestText(result),
    '',
    'Why:',
    ...reasonText(result),
    '',
    ...countsText(result),
    '',
    ...allowTexts[result.allow.status](result),
  ].join('\n');
}

export function whyNotes({ event, allow, damage, policy }: WhyResult, paint: Paint): string {
  const { request_uri: target, host } = event;
  const isCommand = allow.status === 'proposed' && (event.target === 'path' || event.target === 'query');
  const [name] = allow.exception?.hosts ?? [];
  const options = [...(name === undefined ? [] : ['--host', name]), ...configOption(policy)];
  const line = ['guardcli', 'allow', readable(target), ...options].map(quote).join(' ');
  return [
    ...secretWarning(secretRules(allow.exception?.rules ?? []), false, paint),
    ...damage.map((problem) => `${paint('yellow', 'warning:')} ${readable(problem)}`),
    ...(isCommand && target.startsWith('/') && host !== '' ? [`note: ${line} shows what else it allows`] : []),
  ].join('\n');
}
