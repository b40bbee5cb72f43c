/** Evaluates a request against a policy for `guardcli test`. */

import { compile, type GuardRequest, type Trace, type TracedTarget } from '../../contract/engine/index.ts';
import { asSent } from '../../contract/hosts/received.ts';
import { statusOf } from '../../contract/policy/modes.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import type { ProxyTarget } from '../targets/table.ts';
import type { Expectation, ProxyView, TestResult } from './result.ts';

export interface Question {
  readonly policy: Policy;
  /** Path of the policy file. Null: the defaults. */
  readonly policyName: string | null;
  readonly request: GuardRequest;
  readonly proxy: ProxyTarget | undefined;
  readonly expect: Expectation | undefined;
  /** Whether to report which rules match or excuse each candidate. */
  readonly isTraced: boolean;
  readonly notes: readonly string[];
}

type Finding = Omit<TestResult, 'request' | 'policy' | 'mode' | 'proxy' | 'expected' | 'notes'>;

function untraced(target: TracedTarget): TracedTarget {
  return { ...target, candidates: target.candidates.map(({ candidate }) => ({ candidate })) };
}

function findingOf({ verdict, targets, exceptions, body }: Trace, { response }: Policy, isTraced: boolean): Finding {
  const isBlocked = verdict.verdict === 'blocked';
  const status = isBlocked ? statusOf(response) : null;
  const shown = isTraced ? targets : targets.map(untraced);
  const shownExceptions = isTraced ? exceptions : exceptions.filter(({ excused }) => excused.length > 0);
  return {
    ...verdict,
    responseMode: isBlocked ? response.mode : null,
    status,
    targets: shown,
    ...(body && { body }),
    ...(shownExceptions.length > 0 && { exceptions: shownExceptions }),
  };
}

function refusal(status: number): Finding {
  return { verdict: 'refused', reason: 'refused_by_proxy', responseMode: null, status, targets: [] };
}

interface Seen {
  readonly proxy?: ProxyView;
  readonly finding: Finding;
}

/**
 * With `--proxy`, the engine evaluates the target that the proxy passes to the guard, unless the proxy refuses the
 * request.
 */
async function see({ policy, request, proxy, isTraced }: Question): Promise<Seen> {
  const find = (received: GuardRequest) => findingOf(compile(policy).trace(received), policy, isTraced);
  if (!proxy) return { finding: find(request) };
  const { name } = proxy;
  const { receives } = await proxy.loadHost();
  const answer = receives(asSent(request));
  if (answer.kind === 'refused') {
    return { proxy: { name, received: null, backend: null }, finding: refusal(answer.status) };
  }
  const { target, backend, host, headers } = answer;
  return { proxy: { name, received: target, backend }, finding: find({ ...request, target, host, headers }) };
}

/** A request that the proxy refuses reaches no backend, so it counts as blocked for `--expect`. */
export function expectation(
  verdict: TestResult['verdict'],
  expect: Expectation | undefined,
): Pick<TestResult, 'expected'> {
  if (expect === undefined) return {};
  return { expected: { verdict: expect, met: (verdict === 'allowed') === (expect === 'allowed') } };
}

export async function answer(question: Question): Promise<TestResult> {
  const { policy, policyName, request, notes } = question;
  const { method, target, ip, host } = request;
  const { proxy, finding } = await see(question);
  return {
    request: { method, target, ...(ip !== undefined && { ip }), ...(host !== undefined && { host }) },
    policy: policyName,
    mode: policy.mode,
    ...(proxy && { proxy }),
    ...finding,
    ...expectation(finding.verdict, question.expect),
    notes,
  };
}
