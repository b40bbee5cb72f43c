/** Evaluates requests of access logs with a policy. */
import { exceptionsOf } from '../../contract/policy/applications.ts';
import { headerTargets } from '../../contract/policy/headers.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { compile, type GuardRequest, type Verdict } from '../../engine/index.ts';
import { type LoggedRequest, noHeaders } from './request.ts';

/** Reads the headers of the line only where they are used: Caddy's are converted then. */
function receivedRequest(logged: LoggedRequest, ip: string | undefined, usesHeaders: boolean): GuardRequest {
  const { method, target, host } = logged;
  return { method, target, headers: usesHeaders ? logged.headers : noHeaders, ip, host } as GuardRequest;
}

/** True when the policy reads headers. Few policies do, and parsing headers takes time. */
export const usesHeadersIn = ({ checkHeaders, rules, trustedProxies }: Policy): boolean =>
  checkHeaders.length > 0 || headerTargets(rules).length > 0 || trustedProxies.length > 0;

/**
 * Evaluates a request. `assumed`: the host of a line that records none. It matters only for exceptions with hosts. `ip`:
 * the address of the peer; default: that of the line.
 */
type Evaluate = (logged: LoggedRequest, assumed: string | undefined, ip?: string) => Verdict;

export function evaluatorOf(policy: Policy): Evaluate {
  const [guard, usesHeaders] = [compile(policy), usesHeadersIn(policy)];
  const usesHost = exceptionsOf(policy).some(({ hosts }) => hosts.length > 0);
  return (logged, assumed, ip = logged.address) => {
    const request = receivedRequest(logged, ip, usesHeaders);
    return guard.evaluate(usesHost && assumed !== undefined ? { ...request, host: assumed } : request);
  };
}
