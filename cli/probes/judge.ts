/** Compares what came of a request with what must: on the wire, at the backend, and in the security events. */
import type { Mode } from '../../contract/policy/modes.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import type { GuardEvent } from '../sandbox/output.ts';
import type { Reply } from './answer.ts';
import type { ProbeRequest } from './probe.ts';
import type { Outcome } from './setting.ts';
import { checkBlocked } from './wire.ts';

/** What was seen of one request. */
export interface Observed {
  /** Undefined: the connection had ended before its turn. */
  readonly reply: Reply | undefined;
  /** Undefined: not all of them are there yet, so they are not judged. */
  readonly events: readonly GuardEvent[] | undefined;
}

export interface JudgeOptions {
  readonly policy: Policy;
  /** Whether the backend is the echo, which shows what reached it. */
  readonly echoes: boolean;
  /** Whether the probe shows how the response mode behaves, and nothing else will do. */
  readonly isScene: boolean;
}

function checkPassed(reply: Reply, request: ProbeRequest, backend: string, echoes: boolean): string[] {
  if (reply.kind === 'closed') return ['the connection closed without a byte'];
  if (reply.kind === 'broken') return [reply.reason];
  if (!echoes) return [];
  if (reply.status !== 200) return [`status ${reply.status}, expected 200 from the backend`];
  if (request.method === 'HEAD') return [];
  const line = reply.body.slice(0, Math.max(reply.body.indexOf('\r\n'), 0));
  const expected = `${request.method} ${backend} HTTP/1.1`;
  return line === expected
    ? []
    : [`the backend received ${JSON.stringify(line)}, expected ${JSON.stringify(expected)}`];
}

function checkRefused(reply: Reply, status: number): string[] {
  if (reply.kind !== 'answer') return [`expected the proxy's own answer with status ${status}`];
  return reply.status === status ? [] : [`status ${reply.status}, expected the proxy's own ${status}`];
}

/** Event lines are cut to fit; what is left of a value must be its start. */
function differences(event: GuardEvent, outcome: Extract<Outcome, { kind: 'blocked' | 'detected' }>): string[] {
  const { reason, target = '', candidate = '', rule = '' } = outcome.verdict;
  const type = outcome.kind === 'blocked' ? 'guard_block' : 'guard_detect';
  const pairs = { type: [event.type, type], reason: [event.reason, reason], rule_id: [event.rule_id, rule] };
  const wrong = Object.entries({ ...pairs, target: [event.target, target] }).filter(([, [is, must]]) => is !== must);
  const cut = candidate.startsWith(event.candidate) ? [] : [['candidate', [event.candidate, candidate]] as const];
  return [...wrong, ...cut].map(
    ([name, [is, must]]) => `the event has ${name} ${JSON.stringify(is)}, expected ${JSON.stringify(must)}`,
  );
}

function checkEvents(events: readonly GuardEvent[], outcome: Outcome, { securityLog }: Policy): string[] {
  const isObjection = outcome.kind === 'blocked' || outcome.kind === 'detected';
  if (!isObjection || !securityLog) {
    return events.length === 0 ? [] : [`an event named ${events.map(({ rule_id, reason }) => rule_id || reason)}`];
  }
  const [event] = events;
  return event === undefined ? ['no security event came'] : differences(event, outcome);
}

function checkReply(reply: Reply, request: ProbeRequest, outcome: Outcome, options: JudgeOptions): readonly string[] {
  switch (outcome.kind) {
    case 'refused':
      return checkRefused(reply, outcome.status);
    case 'blocked':
      return checkBlocked(reply, options.policy.response, {
        method: request.method,
        reason: outcome.verdict.reason,
        isScene: options.isScene,
      });
    default:
      return checkPassed(reply, request, outcome.backend, options.echoes);
  }
}

/** What is wrong, one clause each; nothing when all is as it must be. */
export function judge(
  request: ProbeRequest,
  outcome: Outcome,
  { reply, events }: Observed,
  options: JudgeOptions,
): readonly string[] {
  if (!reply) return ['the connection ended before this request was answered'];
  const problems = checkReply(reply, request, outcome, options);
  return events === undefined ? problems : [...problems, ...checkEvents(events, outcome, options.policy)];
}

/** Modes behind whose answer nothing follows: there is none, or it is not read to its end. */
const lastModes: readonly Mode[] = ['silent_drop', 'tarpit', 'infinite_stream'];

/** Whether the connection ends with this outcome, so that what was sent behind it stays unanswered. */
export function endsConnection({ method }: ProbeRequest, outcome: Outcome, { response: { mode } }: Policy): boolean {
  if (outcome.kind !== 'blocked') return outcome.kind === 'refused';
  return lastModes.includes(mode) && (method !== 'HEAD' || mode === 'silent_drop');
}
