/** The reference engine, in this process. */
import { readFileSync } from 'node:fs';
import { Policy, type PolicyFile } from '../../contract/policy/schema.ts';
import { type BanTable, openBanTable } from '../../engine/ban-list.ts';
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

function tableAt(file: string): BanTable {
  const table = openBanTable(readFileSync(file));
  if ('fault' in table) throw new Error(table.fault);
  return table;
}

const noView: View = { candidates: [] };

type Asked = { readonly guard: Guard; readonly bans: GuardRequest['bans'] };

function answerOf({ guard, bans }: Asked, question: Question): Answer {
  const request = { ...requestOf(question), ...(bans && { bans }) };
  const { candidates, limit } = question.h ? noView : pathCandidates(splitTarget(request.target).path);
  const { verdict, reason, target = '', candidate = '', rule = '', body } = guard.evaluate(request);
  const overflow = body ? `${body.overflow} ${body.values} ${body.bytes}` : '';
  return { c: candidates, l: limit ?? '', v: [verdict, reason, target, candidate, rule, overflow] };
}

export function referenceAnswers(policies: readonly PolicyFile[]): (question: Question) => Answer {
  const guards = policies.map((written): Asked => {
    const policy = Policy.parse(written);
    return { guard: compile(policy), bans: policy.banList && tableAt(policy.banList.file) };
  });
  return (question) => answerOf(guards[question.q] as Asked, question);
}
