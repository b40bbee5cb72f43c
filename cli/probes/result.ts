/** Describes the outcome of a probe in words. */

import { modes } from '../../contract/policy/modes.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { printable } from '../../platform/escape.ts';
import { shortened } from '../program/shortened.ts';
import { type CheckOptions, checkOutcome, endsConnection } from './check.ts';
import type { EventLog } from './events.ts';
import type { Probe, ProbeRequest } from './probe.ts';
import type { Server } from './raw-client.ts';
import { repeatLine } from './repeat.ts';
import type { ProbeResult } from './report.ts';
import { requestBytes } from './request-bytes.ts';
import { type HttpResponse, headerValue, type Reply } from './response.ts';
import type { Outcome, Setting } from './setting.ts';

/** Maximum bytes of each text in a report: the sent requests, a request line, or an incomplete reply. */
const shownBytes = 2000;

/** A probe with the number of its first request. */
export interface Numbered {
  readonly probe: Probe;
  readonly index: number;
  readonly outcomes: readonly Outcome[];
}

/** Input of the checks besides the replies. */
export interface CheckContext {
  readonly setting: Setting;
  readonly address: Server;
  /** True when the backend returns the received request. */
  readonly echoes: boolean;
}

export const shownText = (text: string): string => printable(shortened(text, shownBytes));

function outcomeText(outcome: Outcome): string {
  if (outcome.kind === 'refused') return `refused by the proxy with ${outcome.status}`;
  const { reason, rule, target } = outcome.verdict;
  const by = [reason, ...(rule === undefined ? [] : [rule]), ...(target === undefined ? [] : [`in ${target}`])];
  return `${outcome.kind} (${by.join(', ')})`;
}

function replyText(reply: Reply | undefined): string {
  if (!reply) return 'nothing';
  if (reply.kind === 'closed') return 'a close without a byte';
  if (reply.kind === 'broken') return `${reply.reason}${reply.received === '' ? '' : `: ${shownText(reply.received)}`}`;
  return `status ${reply.status}, ${reply.body.length} bytes${bodyStart(reply)}`;
}

function bodyStart({ body }: HttpResponse): string {
  const line = body.slice(0, 200).split(/\r?\n/)[0] ?? '';
  return line === '' ? '' : `: ${printable(line)}`;
}

/** True when a mode that holds requests announces the end of the connection. It need not do so in every response. */
function announcesEnd(reply: Reply | undefined, outcome: Outcome, { response }: Policy): boolean {
  if (reply?.kind !== 'response' || outcome.kind !== 'blocked' || !modes[response.mode].holdsRequests) return false;
  return headerValue(reply, 'connection')?.toLowerCase() === 'close';
}

/** Returns the requests that get a response. Requests after the end of the connection get none. */
function answeredRequests(
  { probe, outcomes }: Numbered,
  replies: readonly Reply[],
  { policy }: Setting,
): readonly ProbeRequest[] {
  const last = outcomes.findIndex((outcome, place) => {
    const request = probe.requests[place] as ProbeRequest;
    return endsConnection(request, outcome, policy) || announcesEnd(replies[place], outcome, policy);
  });
  return last < 0 ? probe.requests : probe.requests.slice(0, last + 1);
}

/**
 * Returns the differences from the expected outcome. Security events are checked only with `events`, which must be
 * complete.
 */
export function problemsOf(
  numbered: Numbered,
  replies: readonly Reply[],
  context: CheckContext,
  events?: EventLog,
): string[] {
  const isWireProbe = numbered.probe.source === 'wire';
  const { status } = numbered.probe;
  const options: CheckOptions = { policy: context.setting.policy, echoes: context.echoes, isWireProbe, status };
  const expected = answeredRequests(numbered, replies, context.setting);
  const problems = expected.flatMap((request, place) => {
    const observed = { reply: replies[place], events: events?.of(numbered.index + place) };
    const found = checkOutcome(request, numbered.outcomes[place] as Outcome, observed, options);
    return expected.length > 1 ? found.map((problem) => `request ${place + 1}: ${problem}`) : found;
  });
  const extra = replies[expected.length];
  // A server that could not parse a request may send a body to HEAD.
  const isRefused = numbered.outcomes[expected.length - 1]?.kind === 'refused';
  return extra && extra.kind !== 'closed' && !isRefused
    ? [...problems, `more bytes than expected: ${replyText(extra)}`]
    : problems;
}

export const requestText = (requests: readonly ProbeRequest[]): string =>
  requests.map(({ method, target }) => shownText(`${method} ${target}`)).join(', ');

export function resultOf(
  numbered: Numbered,
  replies: readonly Reply[],
  context: CheckContext,
  events?: EventLog,
): ProbeResult {
  const { probe, outcomes, index } = numbered;
  const { id, source, description, requests } = probe;
  const problems = problemsOf(numbered, replies, context, events);
  const result = {
    id,
    source,
    description,
    ok: problems.length === 0,
    request: requestText(requests),
    expected: outcomes.map(outcomeText).join(', then '),
    got: replies.map(replyText).join(', then '),
    problems,
  };
  if (result.ok) return result;
  const bytes = requests.map((request, place) => requestBytes(request, index + place, context.setting.host));
  const sent = shownText(Buffer.concat(bytes).toString('latin1'));
  return { ...result, sent, repeat: repeatLine(requests, index, context.address) };
}
