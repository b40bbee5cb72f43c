/** Says what was not inspected. Without these clauses, `ALLOWED` would look like a verdict on the whole request. */

import { headerKey, rewriteHeaders } from '../../contract/policy/headers.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import type { GuardRequest } from '../../engine/index.ts';
import type { TestResult } from './result.ts';

const inspectableHeaders = [...rewriteHeaders, 'cookie'];

function uninspectedHeader({ checkHeaders }: Policy, { headers }: GuardRequest): string | undefined {
  if (headers.length === 0) return undefined; // saves time for a list of targets, which usually has no headers
  const inspected = checkHeaders.map(headerKey);
  const isMissed = (name: string): boolean => inspectableHeaders.includes(name) && !inspected.includes(name);
  return headers.map(([name]) => name).find((name) => isMissed(headerKey(name)));
}

/**
 * Returns a clause when the guard inspected nothing, or allowed a request with an inspectable header that
 * `checkHeaders` lacks. Otherwise returns undefined. Ignores the query and the body.
 */
export function uninspectedOf(reason: TestResult['reason'], policy: Policy, request: GuardRequest): string | undefined {
  switch (reason) {
    case 'disabled':
      return 'nothing was inspected: enabled is false';
    case 'method_not_inspected':
      return `nothing was inspected: methods has ${policy.methods.join(', ')}, and not ${request.method}`;
    case 'allowed_ip':
      return 'nothing was inspected: allowedIps contains the client';
    case 'no_match':
    case 'allow_pattern_match': {
      const header = uninspectedHeader(policy, request);
      return header && `${header} was not inspected: checkHeaders does not have it`;
    }
    default:
      return undefined;
  }
}
