/** Evaluates requests of access logs with a policy. */
import { exceptionsOf } from '../../contract/policy/applications.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { compile, type GuardRequest, type Verdict } from '../../engine/index.ts';
import { type LoggedRequest, noHeaders } from './request.ts';

function receivedRequest(
  { method, target, host, address, headers }: LoggedRequest,
  usesHeaders: boolean,
): GuardRequest {
  const given = { method, target, headers: usesHeaders ? headers : noHeaders };
  return { ...given, ip: address, host } as GuardRequest;
}

/** True when the policy reads headers. Few policies do, and parsing headers takes time. */
const usesHeadersIn = ({ checkHeaders, trustedProxies }: Policy): boolean =>
  checkHeaders.length > 0 || trustedProxies.length > 0;

/**
 * Returns a function that evaluates a request. `assumed`: the host of a line that records none. It matters only for
 * exceptions with hosts.
 */
export function evaluatorOf(policy: Policy): (logged: LoggedRequest, assumed: string | undefined) => Verdict {
  const [guard, usesHeaders] = [compile(policy), usesHeadersIn(policy)];
  const usesHost = exceptionsOf(policy).some(({ hosts }) => hosts.length > 0);
  return (logged, assumed) => {
    const request = receivedRequest(logged, usesHeaders);
    return guard.evaluate(usesHost && assumed !== undefined ? { ...request, host: assumed } : request);
  };
}
