import type { Policy } from '../../contract/policy/schema.ts';
import { asSent } from '../../engine/hosts/received.ts';
import { compile, type Guard, type GuardRequest } from '../../engine/index.ts';
import type { ProxyTarget } from '../targets/table.ts';
import type { ProxyView, TestResult } from './result.ts';
import { uninspectedOf } from './uninspected.ts';

/** A request as the guard receives it, or the status with which the proxy refuses it. */
export type Received =
  | { readonly request: GuardRequest; readonly proxy?: ProxyView }
  | { readonly status: number; readonly proxy: ProxyView };

/** Returns a function that computes what the guard in a proxy receives. */
export async function receiverFor(proxy: ProxyTarget | undefined): Promise<(request: GuardRequest) => Received> {
  if (!proxy) return (request) => ({ request });
  const { name } = proxy;
  const { receives } = await proxy.loadHost();
  return (request) => {
    const received = receives(asSent(request));
    if (received.kind === 'refused') return { status: received.status, proxy: { name, received: null, backend: null } };
    const { target, backend, host, headers } = received;
    return { request: { ...request, target, host, headers }, proxy: { name, received: target, backend } };
  };
}

/** How the guards in Caddy and Traefik respond to a CONNECT that `allowUpgrades` does not have. */
export const tunnelEnd = { verdict: 'refused', reason: 'refused_tunnel', status: 501 } as const;

/** A verdict without the steps that led to it. */
export interface Finding
  extends Pick<TestResult, 'verdict' | 'reason' | 'target' | 'candidate' | 'rule' | 'pattern' | 'proxy'> {
  /** Status with which the proxy or the guard refuses the request. */
  readonly status?: number;
  /** Why the request, or a part of it, was not inspected. */
  readonly uninspected?: string;
}

export type Evaluate = (request: GuardRequest) => Finding;

export async function evaluatorFor(
  policy: Policy,
  proxy: ProxyTarget | undefined,
  guard: Guard = compile(policy),
): Promise<Evaluate> {
  const receive = await receiverFor(proxy);
  return (sent) => {
    const received = receive(sent);
    if (!('request' in received)) return { ...received, verdict: 'refused', reason: 'refused_by_proxy' };
    const { request, proxy: view } = received;
    const verdict = guard.evaluate(request);
    if (verdict.verdict === 'allowed' && guard.upgrades(request).ends)
      return { ...(view && { proxy: view }), ...tunnelEnd };
    const uninspected = uninspectedOf(verdict.reason, policy, request);
    return { ...(view && { proxy: view }), ...verdict, ...(uninspected !== undefined && { uninspected }) };
  };
}
