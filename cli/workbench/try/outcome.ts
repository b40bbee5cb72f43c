import type { Policy } from '../../../contract/policy/schema.ts';
import { asSent } from '../../../engine/hosts/received.ts';
import type { GuardRequest, Trace, Verdict } from '../../../engine/index.ts';
import { UsageError } from '../../../platform/errors.ts';
import { requestOf } from '../../evaluate/request.ts';
import { guardOf } from '../guards.ts';
import { type Host, optionsOf, type TryState } from './state.ts';

/** How one proxy passes the request on to the guard and the backend, and the verdict. */
export interface ProxyVerdict {
  readonly title: string;
  /** Target that the guard receives. Undefined when the proxy refuses the request. */
  readonly received: string | undefined;
  /** The target that the backend receives from an allowed request. */
  readonly backend: string | undefined;
  readonly status: number | undefined;
  readonly verdict: Verdict | undefined;
}

export type Outcome =
  | { readonly kind: 'invalid'; readonly message: string; readonly hint: string }
  | {
      readonly kind: 'traced';
      readonly request: GuardRequest;
      readonly notes: readonly string[];
      readonly trace: Trace;
      readonly proxyVerdicts: readonly ProxyVerdict[];
    };

function proxyVerdictOf({ title, model }: Host, request: GuardRequest, policy: Policy): ProxyVerdict {
  const received = model.receives(asSent(request));
  if (received.kind === 'refused') {
    return { title, received: undefined, backend: undefined, status: received.status, verdict: undefined };
  }
  const { target, backend, host, headers } = received;
  const verdict = guardOf(policy).evaluate({ ...request, target, host, headers });
  return { title, received: target, backend, status: undefined, verdict };
}

export function outcomeOf(state: Pick<TryState, 'fields' | 'hosts'>, policy: Policy): Outcome {
  try {
    const { request, notes } = requestOf(optionsOf(state));
    const trace = guardOf(policy).trace(request);
    const proxyVerdicts = state.hosts.map((host) => proxyVerdictOf(host, request, policy));
    return { kind: 'traced', request, notes: notes(policy), trace, proxyVerdicts };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { kind: 'invalid', message: error.message, hint: error.hint ?? '' };
  }
}
