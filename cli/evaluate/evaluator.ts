/** Verdicts of many requests under one policy, without the steps that led to them. */

import { compile, type Guard, type GuardRequest } from '../../contract/engine/index.ts';
import { asSent } from '../../contract/hosts/received.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import type { ProxyTarget } from '../targets/table.ts';
import type { TestResult } from './result.ts';

export interface Finding
  extends Pick<TestResult, 'verdict' | 'reason' | 'target' | 'candidate' | 'rule' | 'pattern' | 'proxy'> {
  /** Status of a refusal. */
  readonly status?: number;
}

export type Evaluate = (request: GuardRequest) => Finding;

/**
 * With `proxy`, the engine evaluates the target and the headers that the proxy passes to the guard, unless the proxy
 * refuses the request.
 */
export async function evaluatorFor(
  policy: Policy,
  proxy: ProxyTarget | undefined,
  guard: Guard = compile(policy),
): Promise<Evaluate> {
  if (!proxy) return guard.evaluate;
  const { name } = proxy;
  const { receives } = await proxy.loadHost();
  return (request) => {
    const received = receives(asSent(request));
    if (received.kind === 'refused') {
      const view = { name, received: null, backend: null };
      return { proxy: view, verdict: 'refused', reason: 'refused_by_proxy', status: received.status };
    }
    const { target, backend, host, headers } = received;
    return { proxy: { name, received: target, backend }, ...guard.evaluate({ ...request, target, host, headers }) };
  };
}
