/** The commands that explain an attack, allow what was blocked by mistake, and ban the client. */
import { isIP } from 'node:net';
import { type Address, defaultAddress } from '../../daemon/client.ts';
import { isLimit } from '../../evaluate/bounds.ts';
import { configOption } from '../../input/source.ts';
import { quote } from '../../program/quote.ts';
import type { Attack, BlockedEvent } from './query.ts';

export interface Asked {
  readonly attack: Attack;
  /** The newest events of the attack, the newest first. */
  readonly events: readonly BlockedEvent[];
  /** Name of the policy file. */
  readonly policy: string | null;
  readonly daemon: Address;
}

/** Returns the arguments of a command about one of the events, or undefined where none applies. */
type Answer = (asked: Asked, event?: BlockedEvent) => readonly string[] | undefined;

/** A gateway cuts longer values, and marks the end. */
const longestTarget = 1024;

const requestOf = (event: BlockedEvent | undefined) => (event?.type === 'security_event' ? undefined : event);

function daemonOption({ daemon }: Asked): string[] {
  const address = daemon.kind === 'unix' ? `unix://${daemon.path}` : daemon.origin.origin;
  return address === defaultAddress ? [] : ['--daemon', address];
}

const bans =
  (command: string): Answer =>
  (asked) =>
    isIP(asked.attack.client_ip) === 0
      ? undefined
      : ['bans', command, '--ip', asked.attack.client_ip, ...daemonOption(asked)];

const isOfDaemon = ({ attack }: Asked): boolean => attack.gateway === 'tcp-guard';

const explain: Answer = (asked) => {
  const { attack, policy } = asked;
  if (isOfDaemon(asked)) return bans('list')(asked);
  const hasRule = attack.rule_id !== '' && !isLimit(attack.rule_id);
  return hasRule ? ['explain', attack.rule_id, ...configOption(policy)] : undefined;
};

const why: Answer = ({ policy }, event) => {
  const reference = requestOf(event)?.reference;
  return reference ? ['why', reference, ...configOption(policy)] : undefined;
};

/** The exception is for the path and host of the event. None applies to limits, headers and bodies. */
const allow: Answer = (asked, event) => {
  if (isOfDaemon(asked)) return asked.attack.rule_id === 'ban' ? bans('delete')(asked) : undefined;
  const { request_uri: target = '', host = '', target: part = '', reason = '' } = requestOf(event) ?? {};
  const isPlain = target.startsWith('/') && target.length <= longestTarget && !target.endsWith('...');
  if (!isPlain || isLimit(reason) || !['path', 'query'].includes(part)) return undefined;
  return ['allow', target, ...(host === '' ? [] : ['--host', host]), ...configOption(asked.policy)];
};

const answers = { explain, why, allow, ban: bans('add') } as const satisfies Record<string, Answer>;
export type AnswerName = keyof typeof answers;
export const answerNames = Object.keys(answers) as [AnswerName, ...AnswerName[]];

/** A command line runs when it is pasted, so that none has a control character. */
const printableLine = /^[\x20-\x7e]+$/;

/** Returns the command line of an answer about the newest event that allows one, or undefined where none applies. */
export function answerLine(name: AnswerName, asked: Asked): string | undefined {
  for (const event of [...asked.events, undefined]) {
    const words = answers[name](asked, event);
    const line = words && ['guardcli', ...words].map(quote).join(' ');
    if (line !== undefined && printableLine.test(line)) return line;
  }
  return undefined;
}
