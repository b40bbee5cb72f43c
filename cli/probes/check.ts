/** Compares the observed outcome of a request with the expected one. */

import type { RequestEvent } from '../../contract/events/members.ts';
import type { Mode } from '../../contract/policy/modes.ts';
import { blockedReasons } from '../../contract/policy/reasons.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { compileRegex } from '../../contract/regex/compile.ts';
import { resetStatus } from '../../engine/hosts/received.ts';
import type { Verdict } from '../../engine/index.ts';
import type { ProbeRequest } from './probe.ts';
import type { Reply } from './response.ts';
import { isBlockedOrDetected, type Outcome, responseOf } from './setting.ts';
import { unansweredBy } from './unanswered.ts';
import { checkBlocked, checkReference } from './wire.ts';

export interface Observed {
  /** Undefined when the connection ended before this request. */
  readonly reply: Reply | undefined;
  /** Undefined when the events are not checked, because they may be incomplete. */
  readonly events: readonly RequestEvent[] | undefined;
}

export interface CheckOptions {
  readonly policy: Policy;
  /** True when the backend returns the received request. */
  readonly echoes: boolean;
  /** True when a fallback response of the mode fails the probe. */
  readonly isWireProbe: boolean;
  /** Expected status of the backend. Absent: 200 of the echo, any status of another backend. */
  readonly status?: number | undefined;
}

/** True when the reply is that of a blocked request. False in mode proxy, which can send any response. */
function looksBlocked(reply: Reply, { method }: ProbeRequest, { response }: Policy): boolean {
  if (response.mode === 'proxy') return false;
  return blockedReasons.some(
    (reason) => checkBlocked(reply, response, { method, reason, isWireProbe: false }).length === 0,
  );
}

function checkPassed(
  reply: Reply,
  request: ProbeRequest,
  { backend, upgrade }: Extract<Outcome, { kind: 'passed' | 'detected' }>,
  { echoes, policy, status = echoes ? 200 : undefined }: CheckOptions,
): string[] {
  if (reply.kind === 'closed') return ['the connection closed without a byte'];
  if (reply.kind === 'broken') return [reply.reason];
  if (!echoes && looksBlocked(reply, request, policy)) return ['the response is that of a blocked request'];
  const proxy = echoes || status !== undefined ? undefined : unansweredBy(reply);
  if (proxy !== undefined) return [`the upstream does not answer: status ${reply.status} is from ${proxy} itself`];
  if (status !== undefined && reply.status !== status)
    return [`status ${reply.status}, expected ${status} from the backend`];
  if (!echoes) return [];
  if (request.method === 'HEAD') return [];
  const line = reply.body.slice(0, Math.max(reply.body.indexOf('\r\n'), 0));
  const expected = `${request.method} ${backend} HTTP/1.1`;
  if (line !== expected) return [`the backend received ${JSON.stringify(line)}, expected ${JSON.stringify(expected)}`];
  return upgrade === undefined ? [] : checkUpgrade(reply.body, upgrade);
}

/** Compares the Upgrade header in the echo of a request. */
function checkUpgrade(echo: string, expected: string): string[] {
  const [head = ''] = echo.split('\r\n\r\n', 1);
  const [, received = ''] = /\r\nupgrade:[ \t]*([^\r]*)/i.exec(head) ?? [];
  if (received.toLowerCase() === expected) return [];
  return [`the backend received the upgrade ${JSON.stringify(received)}, expected ${JSON.stringify(expected)}`];
}

function checkRefused(reply: Reply, status: number): string[] {
  if (status === resetStatus) return reply.kind === 'closed' ? [] : ['expected a reset stream'];
  if (reply.kind !== 'response') return [`expected the proxy's own answer with status ${status}`];
  return reply.status === status ? [] : [`status ${reply.status}, expected the proxy's own ${status}`];
}

/** Replaces the omitted bytes of a long value in an event. */
const cutMark = '...';

/** Longest match that an event shows completely. */
const longestWholeMatch = 64;

function isPartOf(shown: string, whole: string, match: string): boolean {
  const isTail = shown.startsWith(cutMark);
  const isHead = shown.endsWith(cutMark);
  const part = shown.slice(isTail ? cutMark.length : 0, isHead ? -cutMark.length : undefined);
  if (match.length <= longestWholeMatch && !part.includes(match)) return false;
  if (isTail && isHead) return whole.includes(part);
  return (isTail && whole.endsWith(part)) || (isHead && whole.startsWith(part));
}

/**
 * True when `shown` is the candidate, or a part of it that contains the match. A longer match than `longestWholeMatch`
 * need not be complete in that part.
 */
export function showsMatch(shown: string, { candidate = '', pattern = '' }: Verdict): boolean {
  if (shown === candidate || candidate === '') return shown === candidate;
  const [match = ''] = compileRegex(pattern).exec(candidate) ?? [];
  return isPartOf(shown, candidate, match);
}

function eventDifferences(event: RequestEvent, outcome: Extract<Outcome, { kind: 'blocked' | 'detected' }>): string[] {
  const { reason, target = '', rule = '', candidate, body } = outcome.verdict;
  const type = outcome.kind === 'blocked' ? 'guard_block' : 'guard_detect';
  const pairs = {
    ...{ type: [event.type, type], reason: [event.reason, reason], rule_id: [event.rule_id, rule] },
    ...{ target: [event.target, target], overflow: [event.overflow, body?.overflow] },
    inspected_values: [event.inspected_values, body?.values],
    inspected_bytes: [event.inspected_bytes, body?.bytes],
  };
  const wrong = Object.entries(pairs).filter(([, [is, must]]) => is !== must);
  const cut = showsMatch(event.candidate, outcome.verdict)
    ? []
    : [['candidate', [event.candidate, candidate]] as const];
  return [...wrong, ...cut].map(
    ([name, [is, must]]) => `the event has ${name} ${JSON.stringify(is)}, expected ${JSON.stringify(must)}`,
  );
}

function checkEvents(events: readonly RequestEvent[], outcome: Outcome, { securityLog }: Policy): string[] {
  if (!isBlockedOrDetected(outcome) || !securityLog) {
    return events.length === 0 ? [] : [`unexpected event: ${events.map(({ rule_id, reason }) => rule_id || reason)}`];
  }
  const [event] = events;
  return event === undefined ? ['no security event arrived'] : eventDifferences(event, outcome);
}

function checkReply(reply: Reply, request: ProbeRequest, outcome: Outcome, options: CheckOptions): readonly string[] {
  switch (outcome.kind) {
    case 'refused':
      return checkRefused(reply, outcome.status);
    case 'blocked':
      return checkBlocked(reply, responseOf(outcome, options.policy), {
        method: request.method,
        reason: outcome.verdict.reason,
        isWireProbe: options.isWireProbe,
      });
    default:
      return checkPassed(reply, request, outcome, options);
  }
}

export function checkOutcome(
  request: ProbeRequest,
  outcome: Outcome,
  { reply, events }: Observed,
  options: CheckOptions,
): readonly string[] {
  if (!reply) return ['the connection ended before the response to this request'];
  const problems = checkReply(reply, request, outcome, options);
  if (events === undefined) return problems;
  const found = outcome.kind === 'blocked' ? events.slice(0, 1) : [];
  const references = found.flatMap((event) =>
    checkReference(reply, responseOf(outcome, options.policy), event.reference),
  );
  return [...problems, ...references, ...checkEvents(events, outcome, options.policy)];
}

/** The client cannot read another response after these modes. */
const lastModes: readonly Mode[] = ['silent_drop', 'tarpit', 'infinite_stream'];

/** True when later requests on the connection get no response. */
export function endsConnection({ method }: ProbeRequest, outcome: Outcome, policy: Policy): boolean {
  const { mode } = responseOf(outcome, policy);
  if (outcome.kind !== 'blocked') return outcome.kind === 'refused';
  return lastModes.includes(mode) && (method !== 'HEAD' || mode === 'silent_drop');
}
