/** The reference engine, in this process. */

import { Policy, type PolicyFile } from '../../contract/policy/schema.ts';
import { compile, type Guard, type GuardRequest, pathCandidates, type View } from '../../engine/index.ts';
import { splitTarget } from '../../engine/split.ts';
import { type Answer, fromBase64, type Question } from './protocol.ts';

function requestOf({ t, r, m, h, b, ip, host }: Question): GuardRequest {
  return {
    method: m ?? 'GET',
    target: fromBase64(t),
    ...(r !== undefined && { rewritten: fromBase64(r) }),
    headers: (h ?? []).map(([name, value]) => [name, fromBase64(value)] as const),
    body: fromBase64(b ?? ''),
    ip: ip ?? '',
    host: host ?? '',
  };
}

const noView: View = { candidates: [] };

function answerOf(guard: Guard, question: Question): Answer {
  const request = requestOf(question);
  const { candidates, limit } = question.h ? noView : pathCandidates(splitTarget(request.target).path);
  const { verdict, reason, target = '', candidate = '', rule = '', body } = guard.evaluate(request);
  const overflow = body ? `${body.overflow} ${body.values} ${body.bytes}` : '';
  return { c: candidates, l: limit ?? '', v: [verdict, reason, target, candidate, rule, overflow] };
}

export function referenceAnswers(policies: readonly PolicyFile[]): (question: Question) => Answer {
  const guards = policies.map((policy) => compile(Policy.parse(policy)));
  return (question) => answerOf(guards[question.q] as Guard, question);
}
